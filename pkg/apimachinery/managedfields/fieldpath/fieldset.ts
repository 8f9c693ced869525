/**
 * Sets of field paths as tries (`sigs.k8s.io/structured-merge-diff/v6/fieldpath`, set.go). Elements are canonical
 * texts (`element.ts`). Sets are immutable; operations share unchanged parts.
 */
import { sortElements } from './element.js';

/** A node of a set: its path is a member, or a prefix of members, or both. */
export interface FieldNode {
  readonly member: boolean;
  /** Undefined if empty. */
  readonly children: FieldSet | undefined;
}

/** Every node is a member or has children. */
export type FieldSet = ReadonlyMap<string, FieldNode>;

export const EMPTY_SET: FieldSet = new Map();
export const LEAF: FieldNode = Object.freeze({ member: true, children: undefined });

type MutableSet = Map<string, { member: boolean; children: MutableSet | undefined }>;

/** Collects paths into one set. */
export class FieldSetBuilder {
  private readonly root: MutableSet = new Map();

  /** The set; insert no more paths after this. */
  get set(): FieldSet {
    return this.root;
  }

  /** Adds a path; the empty path, the whole object, is never a member. */
  insert(path: readonly string[]): void {
    const last = path.length - 1;
    let set = this.root;
    for (let i = 0; i <= last; i++) {
      const step = path[i]!;
      let node = set.get(step);
      if (node === undefined) set.set(step, (node = { member: false, children: undefined }));
      if (i === last) node.member = true;
      else set = node.children ??= new Map();
    }
  }
}

/** The set of the given paths. */
export function setOf(...paths: readonly (readonly string[])[]): FieldSet {
  const builder = new FieldSetBuilder();
  for (const path of paths) builder.insert(path);
  return builder.set;
}

/** The number of members. */
export function sizeOf(set: FieldSet): number {
  let size = 0;
  for (const { member, children } of set.values()) {
    size += (member ? 1 : 0) + (children === undefined ? 0 : sizeOf(children));
  }
  return size;
}

export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [step, left] of a) {
    const right = b.get(step);
    if (right === undefined || left.member !== right.member) return false;
    if (!equalSets(left.children ?? EMPTY_SET, right.children ?? EMPTY_SET)) return false;
  }
  return true;
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a.size === 0) return b;
  if (b.size === 0 || a === b) return a;
  const out = new Map(a);
  for (const [step, right] of b) {
    const left = out.get(step);
    out.set(step, left === undefined ? right : unionNodes(left, right));
  }
  return out;
}

function unionNodes(a: FieldNode, b: FieldNode): FieldNode {
  const children =
    a.children === undefined || b.children === undefined
      ? (a.children ?? b.children)
      : union(a.children, b.children);
  return { member: a.member || b.member, children };
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a.size === 0 || b.size === 0) return EMPTY_SET;
  const out = new Map<string, FieldNode>();
  const [few, many] = a.size <= b.size ? [a, b] : [b, a];
  for (const [step, left] of few) {
    const right = many.get(step);
    if (right === undefined) continue;
    const both = left.children !== undefined && right.children !== undefined;
    const children = both ? intersection(left.children, right.children) : EMPTY_SET;
    put(out, step, left.member && right.member, children);
  }
  return out;
}

/** The members of `a` that are not in `b`, by path. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, false);
}

/** The same, also without paths below members of `b`. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, true);
}

function subtract(a: FieldSet, b: FieldSet, recursive: boolean): FieldSet {
  if (a.size === 0 || b.size === 0) return a;
  const out = new Map<string, FieldNode>();
  for (const [step, left] of a) {
    const right = b.get(step);
    if (right === undefined) {
      out.set(step, left);
      continue;
    }
    if (recursive && right.member) continue;
    const children = subtract(left.children ?? EMPTY_SET, right.children ?? EMPTY_SET, recursive);
    put(out, step, left.member && !right.member, children);
  }
  return out;
}

function put(out: Map<string, FieldNode>, step: string, member: boolean, children: FieldSet): void {
  if (member || children.size > 0)
    out.set(step, { member, children: children.size > 0 ? children : undefined });
}

/** The members without members below them. */
export function leavesOf(set: FieldSet): FieldSet {
  const out = new Map<string, FieldNode>();
  for (const [step, { member, children }] of set) {
    if (children === undefined) put(out, step, member, EMPTY_SET);
    else put(out, step, false, leavesOf(children));
  }
  return out;
}

/** The elements of one level, sorted. */
export function sortedSteps(set: FieldSet): string[] {
  return sortElements(set.keys());
}

/** Every path in the order of errors: the members of a level precede all deeper ones. */
export function pathsOf(set: FieldSet): string[][] {
  const steps = sortedSteps(set);
  const paths = steps.filter((step) => set.get(step)?.member).map((step) => [step]);
  for (const step of steps) {
    const children = set.get(step)?.children;
    if (children !== undefined) paths.push(...pathsOf(children).map((path) => [step, ...path]));
  }
  return paths;
}
