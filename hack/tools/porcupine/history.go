package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"sort"

	"github.com/anishathalye/porcupine"
)

// Record is one request and its answer: a line of the history.
type Record struct {
	Client int    `json:"client"`
	Key    string `json:"key"`
	// Operation is create, update, patch, delete or get.
	Operation string `json:"operation"`
	// Call and Return are in nanoseconds of one clock. Return is absent where the request has never ended.
	Call   int64  `json:"call"`
	Return *int64 `json:"return"`
	// IfRevision and IfUID are preconditions, where there are any.
	IfRevision int64  `json:"ifRevision"`
	IfUID      string `json:"ifUID"`
	// Fields are what a create or update puts in place of all, and what a patch sets besides the others.
	Fields Fields `json:"fields"`
	// Outcome is ok, exists, absent, conflict or unknown.
	Outcome string `json:"outcome"`
	// Revision, UID and Result are of the object that was answered. A request of unknown outcome that is known to have
	// been done has the revision at which its object was seen.
	Revision int64  `json:"revision"`
	UID      string `json:"uid"`
	Result   Fields `json:"result"`

	number int
}

// Fields are the values of an object: `a` to `d`, empty where it has none.
type Fields [4]string

func (fields *Fields) UnmarshalJSON(text []byte) error {
	values := map[string]string{}
	if err := json.Unmarshal(text, &values); err != nil {
		return err
	}
	for name, value := range values {
		if len(name) != 1 || name[0] < 'a' || int(name[0]-'a') >= len(fields) {
			return fmt.Errorf("field %q: only a to d are known", name)
		}
		fields[name[0]-'a'] = value
	}
	return nil
}

// readHistory gives the operations of each key in the order of the lines.
func readHistory(input io.Reader) (map[string][]porcupine.Operation, error) {
	history := map[string][]porcupine.Operation{}
	lines := bufio.NewScanner(input)
	lines.Buffer(nil, 1<<20)
	for number := 1; lines.Scan(); number++ {
		record := &Record{number: number}
		if err := json.Unmarshal(lines.Bytes(), record); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if err := record.check(); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		end := int64(math.MaxInt64)
		if record.Return != nil {
			end = *record.Return
		}
		history[record.Key] = append(history[record.Key], porcupine.Operation{
			ClientId: record.Client, Input: record, Call: record.Call, Return: end,
		})
	}
	return history, lines.Err()
}

func (record *Record) check() error {
	switch record.Operation {
	case "create", "update", "patch", "delete", "get":
	default:
		return fmt.Errorf("operation %q is not known", record.Operation)
	}
	switch record.Outcome {
	case "ok", "exists", "absent", "conflict", "unknown":
	default:
		return fmt.Errorf("outcome %q is not known", record.Outcome)
	}
	if record.Return != nil && *record.Return < record.Call {
		return fmt.Errorf("it returns before it is called")
	}
	return nil
}

func sortedKeys(history map[string][]porcupine.Operation) []string {
	keys := make([]string, 0, len(history))
	for key := range history {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
