/** Who may do something with an object by its owner, its access rules and its members. */
import { accessOf, accessRights, memberRights, ownerRights, type ObjectRight } from '../rights.js';
import type { ResourceAttributes } from '../../../authorization/interface.js';
import { groupStep, userStep, type Step, type Way } from '../../subjectlocator.js';
import { covers, type Asked } from './decide.js';
import type { KindIndex } from './kindindex.js';

/** Each access rule is told by its name, or by where it is. `index`: of the kind; undefined: its objects give no rights. */
export function* allowedSubjects(index: KindIndex | undefined, asked: ResourceAttributes): Generator<Way> {
  const { namespace, name } = asked;
  const object = index?.object(namespace === '' ? name : `${namespace}/${name}`);
  if (index === undefined || object === undefined || index.definition.namespaced !== (namespace !== ''))
    return;
  const { definition: kind } = index;
  yield* waysOf(ownerRights(kind, object), asked, { kind: 'Owner', name: 'spec.owner' });
  for (const [at, rule] of accessOf(object).entries()) {
    const alone = accessRights(kind, { ...object, spec: { access: [rule] } });
    yield* waysOf(alone, asked, { kind: 'AccessRule', name: rule.name || `spec.access[${at}]` });
  }
  yield* waysOf(memberRights(kind, object), asked, { kind: 'Member', name: 'spec.members' });
}

function* waysOf(rights: readonly ObjectRight[], asked: Asked, by: Step): Generator<Way> {
  for (const right of rights) {
    if (!covers(right, asked)) continue;
    const granting = { ...by, verbs: [...right.verbs] };
    for (const user of right.users) yield { steps: [userStep(user), granting] };
    for (const group of right.groups) yield { steps: [groupStep(group), granting] };
  }
}
