/** A way to a right in words: `admin of the project demo, as team web`. */
import type { Step } from '../../../../api/management.svc.example/v1/resourceaccessreview.js';
import type { Texts } from '../../texts/en.js';
import { shortRole } from '../projectedits/projectroles.js';
import { projectOf } from '../useprefix.js';
import { shownAs } from './ways.js';

type Words = Pick<Texts, 'reach' | 'scope'>;

/** `prefix`: of the namespaces of projects; undefined: not known yet. */
export function wayWords(steps: readonly Step[], prefix: string | undefined, texts: Words): string {
  const { through, by } = texts.reach;
  const right = rightWords(steps, prefix, texts);
  const others = steps.flatMap((step): readonly string[] => {
    const [kind, name] = shownAs(step);
    if (kind === 'Everyone') return [through.everyone];
    if (kind === 'Team' || kind === 'Group' || kind === 'GroupRule') return [through[kind](name)];
    return [];
  });
  return others.length === 0 ? right : by(right, others.join(', '));
}

function rightWords(
  steps: readonly Step[],
  prefix: string | undefined,
  { reach: { rights }, scope }: Words,
): string {
  const last = steps.at(-1);
  switch (last?.kind) {
    case 'Owner':
      return rights.owner;
    case 'AccessRule':
      return rights.shared;
    case 'Member':
      return rights.member;
    case 'Self':
      return rights.own;
    case 'Role':
    case 'ClusterRole': {
      const namespace = steps.find(({ kind }) => kind === 'RoleBinding')?.namespace ?? '';
      const project = projectOf(namespace, prefix);
      const role = shortRole(last.name, scope.roles);
      if (project !== '') return rights.inProject(role, project);
      return namespace === '' ? rights.everywhere(role) : rights.inNamespace(role, namespace);
    }
    default:
      return last?.name ?? '';
  }
}
