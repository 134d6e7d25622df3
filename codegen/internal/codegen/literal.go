package codegen

import (
	"fmt"
	"reflect"

	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Fields maps names of struct fields to code; a field whose code is nil is omitted.
type Fields map[string]jen.Code

// Literal prints a struct or a slice as a composite literal, without its type and without zero fields. If
// instead is not nil, it has the code of some fields, and each field is on its own line.
func Literal(value any, instead Fields) *jen.Statement {
	code, _ := literal(reflect.ValueOf(value), instead)
	return code
}

// literal also reports whether the literal spans several lines.
func literal(v reflect.Value, instead Fields) (code *jen.Statement, long bool) {
	v = reflect.Indirect(v)
	if code := named(v); code != nil {
		return code, false
	}
	switch v.Kind() {
	case reflect.Slice:
		return sliceLiteral(v)
	case reflect.Struct:
		return structLiteral(v, instead)
	case reflect.Int32:
		return jen.Lit(int(v.Int())), false
	}
	return jen.Lit(v.Interface()), false
}

// named prints a value that has a name or a constructor; nil for others.
func named(v reflect.Value) *jen.Statement {
	switch v := v.Interface().(type) {
	case model.Semantics:
		return jen.Qual(PlanPath, semantics[v])
	case device.Kind, device.ScoreKind, device.Space:
		return jen.Qual(DevicePath, fmt.Sprint(v))
	case plan.Kind:
		return jen.Qual(PlanPath, Exported(v.String()))
	case kind.Param, plan.Source:
		if v == plan.FromName { // the zero value of slots, which is frequent
			return nil
		}
		return jen.Qual(PlanPath, goNames[v])
	case scq.Term:
		if v.Constant {
			return jen.Qual(PlanPath, "Const").Call(jen.Lit(v.Index))
		}
		return jen.Qual(PlanPath, "Var").Call(jen.Lit(v.Index))
	}
	return nil
}

// goNames maps enumeration values to their names in package plan.
var goNames = map[any]string{
	plan.EntityParam: "EntityParam", plan.RelationParam: "RelationParam", plan.NumberParam: "NumberParam", plan.DateParam: "DateParam",
	plan.FromName: "FromName", plan.FromParam: "FromParam", plan.FromValue: "FromValue",
}

// The number of numbers per line in a long list, and of slots in a short one.
const (
	numbersPerLine = 24
	slotsPerLine   = 3
)

func sliceLiteral(v reflect.Value) (code *jen.Statement, long bool) {
	var elements []jen.Code
	for i := range v.Len() {
		element, more := literal(v.Index(i), nil)
		elements = append(elements, element)
		long = long || more
	}
	switch {
	case v.Type().Elem() == reflect.TypeFor[plan.Slot]() && v.Len() <= slotsPerLine:
		return jen.Values(elements...), false
	case long:
		return jen.Values(elements...), true // they have lines of their own
	case v.Type().Elem().Kind() == reflect.Struct:
		return jen.Values(Lines(elements...)...), true
	case v.Len() > numbersPerLine:
		for i := 0; i < v.Len(); i += numbersPerLine {
			elements[i] = jen.Line().Add(elements[i])
		}
		return jen.Values(append(elements, jen.Line())...), true
	}
	return jen.Values(elements...), false
}

func structLiteral(v reflect.Value, instead Fields) (code *jen.Statement, long bool) {
	long = instead != nil
	if a, ok := v.Interface().(scq.Atom); ok {
		instead = Fields{"Relation": jen.Lit(a.Relation)} // even slot 0, for clarity
		if a.Unequal() {
			instead = Fields{"Relation": jen.Qual(PlanPath, "Identity")}
		}
	}
	var fields []jen.Code
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		f := v.Field(i)
		value, given := instead[name]
		if !given && (!f.IsZero() || named(f) != nil) {
			code, more := literal(f, nil)
			value = jen.Add(typeOf(f), code)
			long = long || more
		}
		if value != nil {
			fields = append(fields, jen.Id(name).Op(":").Add(value))
		}
	}
	if long {
		fields = Lines(fields...)
	}
	return jen.Values(fields...), long
}

// typeOf prints the type before the braces of a composite literal; nothing for other values.
func typeOf(v reflect.Value) *jen.Statement {
	if named(v) != nil {
		return jen.Null()
	}
	switch t := v.Type(); t.Kind() {
	case reflect.Pointer:
		return jen.Op("&").Add(typeName(t.Elem()))
	case reflect.Slice, reflect.Struct:
		return typeName(t)
	}
	return jen.Null()
}

// typeName prints a type. Package plan has aliases for types of other packages.
func typeName(t reflect.Type) *jen.Statement {
	switch {
	case t.Kind() == reflect.Slice:
		return jen.Index().Add(typeName(t.Elem()))
	case t == reflect.TypeFor[model.Condition](), t == reflect.TypeFor[model.Comparison]():
		return jen.Qual(PlanPath, t.Name())
	case t.PkgPath() == reflect.TypeFor[scq.Atom]().PkgPath():
		return jen.Qual(PlanPath, t.Name())
	case t.PkgPath() != "":
		return jen.Qual(t.PkgPath(), t.Name())
	}
	return jen.Id(t.String())
}

// Lines puts each element of a composite literal on its own line.
func Lines(elements ...jen.Code) []jen.Code {
	out := make([]jen.Code, 0, len(elements)+1)
	for _, e := range elements {
		out = append(out, jen.Line().Add(e))
	}
	return append(out, jen.Line())
}
