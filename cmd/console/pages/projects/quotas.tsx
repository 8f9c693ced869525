import { Suspense, useState, type ComponentProps } from 'react';
import { PROJECTS, usageOf, type Usage } from '../../client/projects.js';
import { useMay } from '../../client/reviews.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { useLimitName } from './uselimitname.js';
import { lazyPart } from '../../shell/lazypart.js';

const QuotaDialog = lazyPart(() => import('./quotadialog.js'), 'QuotaDialog');

type Props = Omit<ComponentProps<typeof QuotaDialog>, 'onClose'>;

/** The quotas of a project and their use, with a button for users who may change them. */
export function Quotas({ project, counts }: Props) {
  const texts = useTexts();
  const [asked, setAsked] = useState(false);
  const { name = '', resourceVersion, deletionTimestamp } = project.metadata;
  const mayPatch = useMay({ verb: 'patch', resource: PROJECTS, namespace: '', name }, resourceVersion);
  const usage = usageOf(project, counts);
  return (
    <section aria-labelledby="quotas">
      <div className="section-head">
        <h2 id="quotas">{texts.projects.quotas}</h2>
        {mayPatch && deletionTimestamp === undefined && (
          <Button onPress={() => setAsked(true)}>{texts.limits.change}</Button>
        )}
      </div>
      {usage.length === 0 && <p className="empty">{texts.projects.noQuotas}</p>}
      <ul className="quotas">
        {usage.map((one) => (
          <Quota key={one.name} {...one} />
        ))}
      </ul>
      <Suspense fallback={null}>
        {asked && <QuotaDialog project={project} counts={counts} onClose={() => setAsked(false)} />}
      </Suspense>
    </section>
  );
}

function Quota({ name, used, most }: Usage) {
  const texts = useTexts();
  const shown = useLimitName()(name);
  return (
    <li>
      <span>{shown}</span>
      {used === undefined ? (
        <span />
      ) : (
        <meter
          aria-label={shown}
          min={0}
          max={Math.max(Number(most), used, 1)}
          high={Number(most) * 0.8}
          optimum={0}
          value={used}
        />
      )}
      <span>{used === undefined ? texts.limits.atMost(most) : texts.projects.used(used, most)}</span>
    </li>
  );
}
