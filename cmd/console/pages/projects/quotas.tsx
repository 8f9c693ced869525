import { useQuery } from '@tanstack/react-query';
import { Suspense, useState, type ComponentProps } from 'react';
import { PROJECTS, readUsage, usageOf, usedBy, type Usage, type UsedQuota } from '../../client/projects.js';
import { useMay } from '../../client/reviews.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { useLimitName } from './uselimitname.js';
import { lazyPart } from '../../shell/lazypart.js';

const QuotaDialog = lazyPart(() => import('./quotadialog.js'), 'QuotaDialog');

interface Props extends Pick<ComponentProps<typeof QuotaDialog>, 'project'> {
  /** The number of objects of each resource that the console counts. */
  readonly counts: Readonly<Record<string, number>>;
}

const NOTHING: readonly UsedQuota[] = [];

/** The quotas of a project and their use, with a button for users who may change them. */
export function Quotas({ project, counts }: Props) {
  const texts = useTexts();
  const [asked, setAsked] = useState(false);
  const { name = '', resourceVersion, deletionTimestamp } = project.metadata;
  const mayPatch = useMay({ verb: 'patch', resource: PROJECTS, namespace: '', name }, resourceVersion);
  const { data: told = NOTHING } = useQuery({
    queryKey: ['usage', name, resourceVersion, counts],
    queryFn: ({ signal }) => readUsage(name, signal),
    placeholderData: (before) => before,
    enabled: Object.keys(project.quotas).length > 0,
  });
  const used = usedBy(counts, told);
  const usage = usageOf(project, used);
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
        {asked && <QuotaDialog project={project} used={used} onClose={() => setAsked(false)} />}
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
