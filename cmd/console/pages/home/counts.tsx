import { Link } from '@tanstack/react-router';
import { useTexts } from '../../texts/texts.js';
import { KINDS, type Kind } from './kinds.js';

export interface Count {
  readonly kind: Kind;
  readonly all: number;
  /** The number of objects that the user owns. */
  readonly own: number;
}

/** The numbers of objects of each kind that the user can see, and owns. */
export function Counts({ counts }: { readonly counts: readonly Count[] }) {
  const { home } = useTexts();
  return (
    <ul className="counts">
      {counts.map(({ kind, all, own }) => (
        <li key={kind}>
          <Link to={KINDS[kind]}>
            <b>{all}</b> <span>{home.kinds[kind](all)}</span>
            <span className="hint">{own > 0 ? home.yours(own) : ''}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
