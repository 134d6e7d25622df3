package simd

// A tested is an implementation of the kernels, if this machine has it.
type tested struct {
	name    string
	present bool
	kernels kernelSet
}

// dispatched is this package, with its checks.
var dispatched = tested{"simd", true, kernelSet{
	DotRows:       DotRows,
	DotRows2:      DotRows2,
	DotRows4:      DotRows4,
	AxpyRows:      AxpyRows,
	AxpyRows2:     AxpyRows2,
	AxpyAt:        AxpyAt,
	DotRowsBF16:   DotRowsBF16,
	DotRowsF16:    DotRowsF16,
	DotRows2BF16:  DotRows2BF16,
	DotRows2F16:   DotRows2F16,
	DotRows4BF16:  DotRows4BF16,
	DotRows4F16:   DotRows4F16,
	AxpyRowsBF16:  AxpyRowsBF16,
	AxpyRows2BF16: AxpyRows2BF16,
	AxpyAtBF16:    AxpyAtBF16,
	AxpyRowsF16:   AxpyRowsF16,
	AxpyRows2F16:  AxpyRows2F16,
	AxpyAtF16:     AxpyAtF16,
	ExpSum:        ExpSum,
	ExpMax:        ExpMax,
	Max:           Max,
	SumAbove:      SumAbove,
	IndexAbove:    IndexAbove,
	ScaleAbove:    ScaleAbove,
	ScaleClip:     ScaleClip,
	Add:           Add,
	Mul:           Mul,
	MaxOf:         MaxOf,
	MulAdd:        MulAdd,
	Lerp:          Lerp,
	Scale:         Scale,
	AddConst:      AddConst,
	ScaleAdd:      ScaleAdd,
	GemmNT:        GemmNT,
}}
