import { faultField, keyOf, type Limited } from '../../client/projectedits/quotas.js';
import { causesOf } from '../../client/status.js';
import { useTexts } from '../../texts/texts.js';
import { TextField } from '../../ui/fields/textfield.js';
import { nameOf, useLimitName } from './uselimitname.js';

export interface Props {
  readonly limits: readonly Limited[];
  readonly textOf: (limited: Limited) => string;
  readonly error: unknown;
  readonly onChange: (limited: Limited, text: string) => void;
}

/** One field for each limit. */
export function QuotaFields({ limits, textOf, error, onChange }: Props) {
  const { limits: texts } = useTexts();
  const shownName = useLimitName();
  return (
    <>
      <p className="hint">{texts.hint}</p>
      {limits.map((limited, at) => (
        <TextField
          key={keyOf(limited)}
          label={shownName(nameOf(limited))}
          value={textOf(limited)}
          numeric={true}
          autoFocus={at === 0}
          errors={causesOf(error, faultField(limited))}
          onChange={(text) => onChange(limited, text)}
        />
      ))}
    </>
  );
}
