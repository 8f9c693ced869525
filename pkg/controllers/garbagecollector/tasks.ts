/** What the garbage collector does, as keys of its queue. */
import type { ObjectKey } from '../../../api/resource.js';

/** `resource`: its index among the resources that are collected. */
export type Task =
  /** Reads a cache again. */
  | { readonly kind: 'load'; readonly resource: number }
  /** Checks an object that is being deleted. */
  | ({ readonly kind: 'finish'; readonly resource: number } & ObjectKey)
  /** Checks the dependents of an owner that was deleted. */
  | { readonly kind: 'gone'; readonly uid: string }
  /** Checks a dependent. */
  | { readonly kind: 'collect'; readonly uid: string };

export function keyOf(task: Task): string {
  switch (task.kind) {
    case 'load':
      return `load ${task.resource}`;
    case 'finish':
      return `finish ${task.resource} ${task.namespace} ${task.name}`;
    default:
      return `${task.kind} ${task.uid}`;
  }
}

/** Throws Error for what is no key of {@link keyOf}. */
export function taskOf(key: string): Task {
  const [kind, first = '', namespace = '', name = ''] = key.split(' ');
  switch (kind) {
    case 'load':
      return { kind, resource: Number(first) };
    case 'finish':
      return { kind, resource: Number(first), namespace, name };
    case 'gone':
    case 'collect':
      return { kind, uid: first };
    default:
      throw new Error(`not a key of the garbage collector: ${key}`);
  }
}
