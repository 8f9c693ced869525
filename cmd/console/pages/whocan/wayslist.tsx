import { placeOf } from '../../client/edits/yamlobject.js';
import type { Step, Way } from '../../../../api/management.svc.example/v1/resourceaccessreview.js';
import { pathOfStep, shownAs, verbWords } from '../../client/whocan/ways.js';
import { cutText } from '../../graph/cuttext.js';
import { NodeLink } from '../../graph/nodelink.js';
import { useTexts } from '../../texts/texts.js';

export interface Props {
  readonly ways: readonly Way[];
  /** What is said if there are no ways. */
  readonly none: string;
}

const SHOWN = 100;
const FITS = 80;

/** All ways as a list, for users who do not see the graph, and for ways that the graph leaves out. */
export function WaysList({ ways, none }: Props) {
  const { whoCan: texts } = useTexts();
  return (
    <section aria-labelledby="ways-title" id="ways">
      <h2 id="ways-title">{texts.ways(ways.length)}</h2>
      {ways.length === 0 && <p className="empty">{none}</p>}
      <ol className="ways">
        {ways.slice(0, SHOWN).map(({ steps, uncertain }, at) => (
          <li key={at}>
            {steps.map((step, of) => (
              <span key={of}>
                {of > 0 && <span aria-hidden="true"> → </span>}
                <Told step={step} />
              </span>
            ))}
            {uncertain && <span className="badge ended">{texts.unsure}</span>}
          </li>
        ))}
      </ol>
      {ways.length > SHOWN && <p>{texts.others(ways.length - SHOWN)}</p>}
    </section>
  );
}

function Told({ step }: { readonly step: Step }) {
  const { whoCan: texts } = useTexts();
  const [kind, name] = shownAs(step);
  const [path, shown] = [pathOfStep(step), cutText(name, FITS)];
  return (
    <>
      {texts.kinds[kind]}{' '}
      {placeOf(path) === undefined ? (
        shown
      ) : (
        <NodeLink path={path} label={shown}>
          {shown}
        </NodeLink>
      )}
      {step.verbs !== undefined && ` (${verbWords(step.verbs, texts)})`}{' '}
    </>
  );
}
