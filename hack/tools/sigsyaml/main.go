// Command sigsyaml reads YAML as the API server of Kubernetes does, by sigs.k8s.io/yaml: the judge of the reader
// of this project.
//
//	sigsyaml < documents
//
// Each line of the input is a document in base64. For each it prints one line of JSON, in the same order.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"

	"sigs.k8s.io/yaml"
)

// Reading is what is printed for a document: JSON and perhaps Duplicates, or Error.
type Reading struct {
	JSON json.RawMessage `json:"json,omitempty"`
	// Duplicates is the error of the strict decoder alone, which is about keys that a map has twice.
	Duplicates string `json:"duplicates,omitempty"`
	Error      string `json:"error,omitempty"`
}

// longest is the maximum length of a line in bytes.
const longest = 16 << 20

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, longest)
	output := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(output)
	encoder.SetEscapeHTML(false)
	for lines.Scan() {
		document, err := base64.StdEncoding.DecodeString(lines.Text())
		if err == nil {
			err = encoder.Encode(read(document))
		}
		if err != nil {
			fail(err)
		}
	}
	if err := lines.Err(); err != nil {
		fail(err)
	}
	if err := output.Flush(); err != nil {
		fail(err)
	}
}

func read(document []byte) Reading {
	text, err := yaml.YAMLToJSON(document)
	if err != nil {
		return Reading{Error: err.Error()}
	}
	reading := Reading{JSON: text}
	if _, err := yaml.YAMLToJSONStrict(document); err != nil {
		reading.Duplicates = err.Error()
	}
	return reading
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "sigsyaml:", err)
	os.Exit(1)
}
