package main

import (
	"bytes"
	"encoding/json"
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

func (k kinds) judgeFieldSet(line Line) {
	switch kind := line.text("kind"); kind {
	case "read":
		judgeRead(line)
	case "element":
		judgeElement(line)
	case "ops":
		judgeOperations(line)
	case "typed":
		k.judgeTyped(line)
	default:
		panic("unknown kind: " + kind)
	}
}

// refuse leaves the members that say what was asked.
func (l Line) refuse() {
	for member := range l {
		if member != "id" && member != "in" && member != "kind" && member != "why" {
			delete(l, member)
		}
	}
	l.set("error", true)
}

func judgeRead(line Line) {
	var set fieldpath.Set
	if err := set.FromJSON(bytes.NewReader([]byte(line.text("in")))); err != nil {
		line.refuse()
		return
	}
	delete(line, "error")
	paths, strings := [][]json.RawMessage{}, []string{}
	set.Iterate(func(path fieldpath.Path) {
		steps := []json.RawMessage{}
		for _, element := range path {
			steps = append(steps, stepOf(element))
		}
		paths = append(paths, steps)
		strings = append(strings, path.String())
	})
	line.set("out", textOf(&set))
	line.set("paths", paths)
	line.set("strings", strings)
	line.set("size", set.Size())
	line.set("empty", set.Empty())
}

func judgeElement(line Line) {
	element, err := fieldpath.DeserializePathElement(line.text("in"))
	if errors.Is(err, fieldpath.ErrUnknownPathElementType) {
		line.set("unknown", true)
		return
	}
	if err != nil {
		line.refuse()
		return
	}
	delete(line, "error")
	out, err := fieldpath.SerializePathElement(element)
	check(err)
	line.set("element", stepOf(element))
	line.set("out", out)
	// Not of values that hold objects: their members come in any order.
	if _, there := line["string"]; there {
		line.set("string", element.String())
	}
}

func judgeOperations(line Line) {
	a, b := setOf(line.text("a")), setOf(line.text("b"))
	line.set("union", textOf(a.Union(b)))
	line.set("intersection", textOf(a.Intersection(b)))
	line.set("difference", textOf(a.Difference(b)))
	line.set("recursiveDifference", textOf(a.RecursiveDifference(b)))
	line.set("leavesA", textOf(a.Leaves()))
	line.set("equal", a.Equals(b))
}

func (k kinds) judgeTyped(line Line) {
	converter := k[line.text("schema")].converter
	parse := func(member string) *typed.TypedValue {
		object := map[string]any{}
		line.get(member, &object)
		parsed, err := converter.ObjectToTyped(&unstructured.Unstructured{Object: object}, typed.AllowDuplicates)
		check(err)
		return parsed
	}
	a, b := parse("a"), parse("b")
	answerOr(line, "set", "setA", func() (any, error) {
		set, err := a.ToFieldSet()
		return textOrNil(set), err
	})
	answerOr(line, "compare", "compare", func() (any, error) {
		compared, err := a.Compare(b)
		if err != nil {
			return nil, err
		}
		return map[string]string{
			"added":    textOf(compared.Added),
			"modified": textOf(compared.Modified),
			"removed":  textOf(compared.Removed),
		}, nil
	})
	answerOr(line, "merge", "merge", func() (any, error) { return unstructuredOf(a.Merge(b)) })
	if _, there := line["items"]; there {
		items := setOf(line.text("items"))
		line.set("removed", a.RemoveItems(items).AsValue().Unstructured())
		line.set("extracted", a.ExtractItems(items).AsValue().Unstructured())
	}
}

// answerOr sets the member, or says that there is an error instead (`setError` for `set`).
func answerOr(line Line, what, member string, compute func() (any, error)) {
	result, err := compute()
	if err != nil {
		delete(line, member)
		line.set(what+"Error", true)
		return
	}
	delete(line, what+"Error")
	line.set(member, result)
}

func unstructuredOf(merged *typed.TypedValue, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return merged.AsValue().Unstructured(), nil
}

func textOrNil(set *fieldpath.Set) any {
	if set == nil {
		return nil
	}
	return textOf(set)
}

func setOf(text string) *fieldpath.Set {
	set := fieldpath.NewSet()
	check(set.FromJSON(bytes.NewReader([]byte(text))))
	return set
}

func textOf(set *fieldpath.Set) string {
	text, err := set.ToJSON()
	check(err)
	return string(text)
}

// stepOf: {f: name}, {k: {…}}, {v: value} or {i: index}.
func stepOf(element fieldpath.PathElement) json.RawMessage {
	step := map[string]any{}
	switch {
	case element.FieldName != nil:
		step["f"] = *element.FieldName
	case element.Key != nil:
		fields := map[string]any{}
		for _, field := range *element.Key {
			fields[field.Name] = field.Value.Unstructured()
		}
		step["k"] = fields
	case element.Value != nil:
		step["v"] = (*element.Value).Unstructured()
	case element.Index != nil:
		step["i"] = *element.Index
	}
	return encode(step)
}
