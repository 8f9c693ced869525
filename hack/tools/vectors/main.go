// Computes what Kubernetes' libraries answer to the inputs of test/vectors: reads the lines of a file there and writes them with the
// answers of the releases that go.mod pins.
//
//	vectors NAME SCHEMAS <lines >lines      NAME: one of judges; SCHEMAS: schemas.json
//
// Lines whose answers are the same come out as they went in. The number of the others goes to standard error.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/klog/v2"
)

// Line is a vector. Members that no judge computes stay as they are.
type Line map[string]json.RawMessage

// Judge gives a line its answers.
type Judge func(Line)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: vectors NAME SCHEMAS <lines >lines")
		os.Exit(2)
	}
	klog.SetSlogLogger(slog.New(slog.DiscardHandler))
	text, err := os.ReadFile(os.Args[2])
	check(err)
	kinds := kindsOf(text)
	judges := map[string]Judge{
		"apply":      kinds.judgeApply,
		"fieldset":   kinds.judgeFieldSet,
		"jsonpatch":  judgeJSONPatch,
		"mergepatch": judgePatch,
		"metadata":   judgeMetadata,
		"query":      judgeQuery,
	}
	judge, known := judges[os.Args[1]]
	if !known {
		fmt.Fprintf(os.Stderr, "vectors: %s is not computed here\n", os.Args[1])
		os.Exit(2)
	}
	changed, all := answer(judge)
	fmt.Fprintf(os.Stderr, "%s: %d of %d lines have other answers\n", os.Args[1], changed, all)
}

func answer(judge Judge) (changed, all int) {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	out := bufio.NewWriter(os.Stdout)
	defer func() { check(out.Flush()) }()
	for lines.Scan() {
		before := bytes.Clone(lines.Bytes())
		var line Line
		check(json.Unmarshal(before, &line))
		judge(line)
		after := encode(line)
		if same(before, after) {
			after = before
		} else {
			changed++
		}
		all++
		_, err := out.Write(append(after, '\n'))
		check(err)
	}
	check(lines.Err())
	return changed, all
}

func (l Line) get(member string, into any) {
	if raw, there := l[member]; there {
		check(utiljson.Unmarshal(raw, into))
	}
}

func (l Line) text(member string) (text string) {
	l.get(member, &text)
	return text
}

// set keeps the text of a value that is the same.
func (l Line) set(member string, value any) {
	after := encode(value)
	if before, there := l[member]; !there || !same(before, after) {
		l[member] = after
	}
}

func encode(value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	check(encoder.Encode(value))
	return bytes.TrimSpace(out.Bytes())
}

// same: by value, where 1 is 1.0.
func same(a, b []byte) bool {
	var x, y any
	check(json.Unmarshal(a, &x))
	check(json.Unmarshal(b, &y))
	return bytes.Equal(encode(x), encode(y))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
