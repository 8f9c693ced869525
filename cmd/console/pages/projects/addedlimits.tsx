import { useQuery } from '@tanstack/react-query';
import { readResources } from '../../client/deletion/resources.js';
import { faultField, objectsOf } from '../../client/projectedits/quotas.js';
import type { Suggestion } from '../../ui/suggest/suggestions.js';
import { causesOf } from '../../client/status.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { TextField } from '../../ui/fields/textfield.js';
import { SuggestField } from '../../ui/suggest/suggestfield.js';

/** The texts as they are typed. */
export interface AddedLimit {
  readonly resource: string;
  readonly limit: string;
}

export interface Props {
  readonly added: readonly AddedLimit[];
  readonly error: unknown;
  readonly onChange: (added: readonly AddedLimit[]) => void;
}

const NONE: readonly Suggestion[] = [];

/** The namespaced resources of the server, by the names that quotas use. */
async function namespaced(signal: AbortSignal): Promise<readonly Suggestion[]> {
  const { resources } = await readResources(signal);
  return resources
    .filter((one) => one.namespaced)
    .map(({ group, resource }) => {
      const [, , groupName] = group.startsWith('/apis/') ? group.split('/') : [];
      return { id: groupName === undefined ? resource : `${resource}.${groupName}`, text: '' };
    });
}

/** The fields for limits of further resources. */
export function AddedLimits({ added, error, onChange }: Props) {
  const { limits: texts } = useTexts();
  const { data = NONE } = useQuery({
    queryKey: ['namespaced resources'],
    queryFn: ({ signal }) => namespaced(signal),
    enabled: added.length > 0,
  });
  const set = (at: number, next: AddedLimit): void => onChange(added.with(at, next));
  return (
    <>
      {added.map((row, at) => (
        <div className="grid" key={at}>
          <SuggestField
            label={texts.resource}
            hint={texts.resourceHint}
            value={row.resource}
            suggestions={data}
            errors={[]}
            autoFocus={true}
            onChange={(resource) => set(at, { ...row, resource })}
          />
          <TextField
            label={texts.most}
            value={row.limit}
            numeric={true}
            errors={causesOf(error, faultField(objectsOf(row.resource.trim())))}
            onChange={(limit) => set(at, { ...row, limit })}
          />
        </div>
      ))}
      <Button onPress={() => onChange([...added, { resource: '', limit: '' }])}>{texts.another}</Button>
    </>
  );
}
