// Command linearizability judges a recorded history of requests: whether the answers for each object are those of some
// order in which every request took effect at one moment between its call and its return.
//
//	linearizability [--timeout 60s] [--visualize FOLDER] < history.jsonl
//
// It prints one verdict as JSON, and exits with 0 whatever the verdict is. A history that it cannot read is an error.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/anishathalye/porcupine"
)

// Verdict is what is printed.
type Verdict struct {
	Operations int       `json:"operations"`
	Keys       int       `json:"keys"`
	Illegal    []Finding `json:"illegal"`
	// Undecided are keys that the time did not suffice for.
	Undecided []string `json:"undecided"`
}

// Finding is an object whose history no order explains.
type Finding struct {
	Key string `json:"key"`
	// Explained is how many operations the longest order has.
	Explained int `json:"explained"`
	// Next are the first operations that no order goes on with.
	Next []string `json:"next"`
	// Picture is an HTML file, where they were asked for.
	Picture string `json:"picture,omitempty"`
}

func main() {
	timeout := flag.Duration("timeout", time.Minute, "for all keys together")
	folder := flag.String("visualize", "", "where an HTML file is written for each key whose history is illegal")
	flag.Parse()
	history, err := readHistory(os.Stdin)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(judge(history, time.Now().Add(*timeout), *folder))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "linearizability:", err)
		os.Exit(1)
	}
}

func judge(history map[string][]porcupine.Operation, deadline time.Time, folder string) Verdict {
	model := object.ToModel()
	verdict := Verdict{Keys: len(history), Illegal: []Finding{}, Undecided: []string{}}
	for _, key := range sortedKeys(history) {
		operations := history[key]
		verdict.Operations += len(operations)
		// A timeout of zero would be none.
		left := max(time.Until(deadline), time.Millisecond)
		result, info := porcupine.CheckOperationsVerbose(model, operations, left)
		switch result {
		case porcupine.Ok:
		case porcupine.Unknown:
			verdict.Undecided = append(verdict.Undecided, key)
		case porcupine.Illegal:
			verdict.Illegal = append(verdict.Illegal, finding(key, operations, model, info, folder))
		}
	}
	return verdict
}

const mostShown = 5

func finding(
	key string, operations []porcupine.Operation, model porcupine.Model, info porcupine.LinearizationInfo, folder string,
) Finding {
	var longest []porcupine.Operation
	for _, partition := range info.PartialLinearizationsOperations() {
		for _, order := range partition {
			if len(order) > len(longest) {
				longest = order
			}
		}
	}
	explained := map[int]bool{}
	for _, operation := range longest {
		explained[operation.Input.(*Record).number] = true
	}
	found := Finding{Key: key, Explained: len(longest), Next: []string{}}
	for _, operation := range operations {
		if len(found.Next) < mostShown && !explained[operation.Input.(*Record).number] {
			found.Next = append(found.Next, describe(operation.Input, nil))
		}
	}
	if folder == "" {
		return found
	}
	path := filepath.Join(folder, fmt.Sprintf("object-%x.html", key))
	if err := porcupine.VisualizePath(model, info, path); err == nil {
		found.Picture = path
	}
	return found
}
