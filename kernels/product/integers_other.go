//go:build !amd64 || noasm

package product

const noBytes = "product: no unit for integers"

func (*Integers) add([]float32) float32                                 { panic(noBytes) }
func (*Integers) multiply(*IntegerRoom, int, []int8, []int8, []float32) { panic(noBytes) }
func (*Totals) pack([]int8, []int8, int)                                { panic(noBytes) }
func (*Totals) weigh(int, []float32, []float32) float32                 { panic(noBytes) }
func (*Totals) addTo([]float32, int)                                    { panic(noBytes) }
