import { Link } from '@tanstack/react-router';
import type { Dependent } from '../../client/deletion/waiting.js';
import { useTexts } from '../../texts/texts.js';
import { Tags } from '../../ui/tags.js';

export interface Props {
  readonly dependents: readonly Dependent[];
  /** The uid of the object that is deleted. */
  readonly of: string;
}

const SHOWN = 100;

const nameOf = ({ namespace, name }: Dependent): string => (namespace === '' ? name : `${namespace}/${name}`);

/** The remaining dependents, each with its owner unless that is the object that is deleted. */
export function DependentsList({ dependents, of }: Props) {
  const { deletion: texts } = useTexts();
  if (dependents.length === 0) return <p>{texts.noDependents}</p>;
  const byUid = new Map(dependents.map((one) => [one.uid, one]));
  const belongs = (one: Dependent): string => {
    if (one.of === of || one.of === '') return '';
    const owner = byUid.get(one.of);
    return owner === undefined ? '' : texts.belongsTo(`${owner.resource} ${nameOf(owner)}`);
  };
  return (
    <ul>
      {dependents.slice(0, SHOWN).map((one) => (
        <li key={one.path}>
          {one.resource}{' '}
          <Link to="/yaml" search={{ path: one.path }} preload={false}>
            {nameOf(one)}
          </Link>
          {one.deleting && <span className="badge ended">{texts.deleting}</span>} {belongs(one)}{' '}
          <Tags texts={one.finalizers} />
        </li>
      ))}
      {dependents.length > SHOWN && <li>{texts.others(dependents.length - SHOWN)}</li>}
    </ul>
  );
}
