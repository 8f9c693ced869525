/**
 * Updates a role and its binding together: in between, no subject has rights that neither the old nor the new state
 * grants.
 */
import { encodeObject } from '../../apimachinery/encoding/canonical.js';
import type { KubeObject } from '../../../api/resource.js';
import type { Subject } from '../rbac/bindings.js';
import { roleRefOf, subjectsOf } from '../rbac/bindings.js';
import { objectIn } from './owners.js';
import type { DonePut, HostPut } from './puts.js';
import { putOne, recordBefore } from './puts.js';

/**
 * Reduces a binding that loses subjects to those that remain, before its role is written; the caller then writes the
 * whole binding. Returns the remaining writes, and adds the finished ones to `done`.
 */
export async function narrowBindings(
  stages: readonly (readonly HostPut[])[],
  done: DonePut[],
): Promise<HostPut[][]> {
  const changed = new Set(
    stages
      .flat()
      .filter(isUpdate)
      .map(({ write }) => write.key),
  );
  const narrow = async (one: HostPut): Promise<HostPut> => {
    const next = isUpdate(one) ? objectIn(one.write.value) : undefined;
    const role = next?.roleRef === undefined ? undefined : roleKey(one.write.key, next);
    if (next === undefined || role === undefined || !changed.has(role)) return one;
    const put = await narrowed(one, next);
    if (put === undefined) return one;
    done.push(put);
    return { ...one, write: { ...one.write, expect: put.revision } };
  };
  return Promise.all(stages.map((stage) => Promise.all(stage.map(narrow))));
}

const isUpdate = ({ write }: HostPut): boolean => typeof write.expect === 'number';

const BINDINGS = /^(.*\/)(?:cluster)?rolebindings\/(.*\/)?[^/]*$/;

/** The key of the role that a binding names: `registry/rbac.authorization.k8s.io/roles/<namespace>/<name>`. */
function roleKey(key: string, binding: KubeObject): string | undefined {
  const [, group, namespace = ''] = BINDINGS.exec(key) ?? [];
  const { kind, name } = roleRefOf(binding);
  if (group === undefined) return undefined;
  return kind === 'ClusterRole' ? `${group}clusterroles/${name}` : `${group}roles/${namespace}${name}`;
}

/** Undefined if it loses no subjects. */
async function narrowed({ kind, write }: HostPut, next: KubeObject): Promise<DonePut | undefined> {
  const previous = await recordBefore(kind, write);
  if (previous === undefined || previous.revision !== write.expect) return undefined;
  const before = objectIn(previous.value);
  const stay = new Set(subjectsOf(next).map(nameOf));
  const subjects = subjectsOf(before).filter((subject) => stay.has(nameOf(subject)));
  if (subjects.length === subjectsOf(before).length) return undefined;
  const value = encodeObject({ ...before, subjects });
  return { kind, write, previous, owned: undefined, revision: await putOne(kind, { ...write, value }) };
}

const nameOf = ({ kind, namespace = '', name }: Subject): string => JSON.stringify([kind, namespace, name]);
