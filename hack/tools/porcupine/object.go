package main

import (
	"fmt"
	"strings"

	"github.com/anishathalye/porcupine"
)

// state is what may be known of one object.
type state struct {
	exists bool
	// revision is that of the object, or a bound that later ones are above: of one that is deleted, or whose last write
	// has an unknown outcome.
	revision int64
	// certain says that it is that of the object.
	certain bool
	// uid is empty where the create has an unknown outcome.
	uid    string
	fields Fields
}

// object is the specification: a register with a resourceVersion that grows with each write, which exists or does not.
// A write of unknown outcome may have been done at any later time, or never.
var object = porcupine.NondeterministicModel{
	Init: func() []interface{} { return []interface{}{state{}} },
	Step: func(from, input, _ interface{}) []interface{} {
		before, record := from.(state), input.(*Record)
		if record.Outcome == "unknown" {
			return unknown(before, record)
		}
		if after, ok := step(before, record); ok {
			return []interface{}{after}
		}
		return nil
	},
	DescribeOperation: describe,
	DescribeState:     func(each interface{}) string { return fmt.Sprintf("%+v", each) },
}

func unknown(before state, record *Record) []interface{} {
	if record.Operation == "get" {
		return []interface{}{before}
	}
	after, possible := write(before, record)
	switch {
	case record.Revision > before.revision && possible && matches(after, record):
		return []interface{}{known(after, record)}
	case record.Revision != 0:
		return nil
	case possible:
		return []interface{}{before, after}
	default:
		return []interface{}{before}
	}
}

// step gives the state after a request that was answered; false where it cannot have been answered so.
func step(before state, record *Record) (state, bool) {
	switch record.Outcome {
	case "exists":
		return before, before.exists && record.Operation == "create"
	case "absent":
		return before, !before.exists && record.Operation != "create"
	case "conflict":
		return before, before.exists && conflicts(before, record)
	}
	if record.Operation == "get" {
		after := known(before, record)
		return after, before.exists && matches(before, record) && seen(before, record)
	}
	after, possible := write(before, record)
	if record.Operation == "delete" {
		return after, possible && (before.uid == "" || before.uid == record.UID)
	}
	// Each write has a greater revision than all before it.
	return known(after, record), possible && matches(after, record) && record.Revision > before.revision
}

// write gives the state that a write leaves; false where it is refused.
func write(before state, record *Record) (state, bool) {
	if record.Operation == "create" {
		return state{exists: true, revision: before.revision, fields: record.Fields}, !before.exists
	}
	if !before.exists || !holds(before, record) {
		return before, false
	}
	after := before
	after.certain = false
	switch record.Operation {
	case "delete":
		return state{revision: before.revision}, true
	case "update":
		after.fields = record.Fields
	case "patch":
		for at, value := range record.Fields {
			if value != "" {
				after.fields[at] = value
			}
		}
	}
	return after, true
}

// holds says whether the preconditions may be met.
func holds(before state, record *Record) bool {
	if record.IfUID != "" && before.uid != "" && before.uid != record.IfUID {
		return false
	}
	return record.IfRevision == 0 || seenAt(before, record.IfRevision)
}

// conflicts says whether a precondition may fail.
func conflicts(before state, record *Record) bool {
	uidDiffers := record.IfUID != "" && before.uid != record.IfUID
	revisionDiffers := record.IfRevision != 0 && !(before.certain && before.revision == record.IfRevision)
	return uidDiffers || revisionDiffers
}

func matches(after state, record *Record) bool {
	return after.fields == record.Result && (after.uid == "" || record.UID == "" || after.uid == record.UID)
}

func seen(before state, record *Record) bool { return seenAt(before, record.Revision) }

func seenAt(before state, revision int64) bool {
	if before.certain {
		return before.revision == revision
	}
	return revision > before.revision
}

// known adds what the answer tells.
func known(after state, record *Record) state {
	after.revision = record.Revision
	after.certain = true
	if record.UID != "" {
		after.uid = record.UID
	}
	return after
}

func describe(input, _ interface{}) string {
	record := input.(*Record)
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s", record.Operation, record.Key)
	if record.Fields != (Fields{}) {
		fmt.Fprintf(&text, " %q", record.Fields)
	}
	if record.IfRevision != 0 {
		fmt.Fprintf(&text, " if at %d", record.IfRevision)
	}
	if record.IfUID != "" {
		fmt.Fprintf(&text, " if %s", record.IfUID)
	}
	fmt.Fprintf(&text, " -> %s", record.Outcome)
	if record.Revision != 0 {
		fmt.Fprintf(&text, " %q at %d", record.Result, record.Revision)
	}
	return text.String()
}
