import { causesOf } from '../../client/status.js';
import { useTexts } from '../../texts/texts.js';
import { TextField } from '../../ui/fields/textfield.js';

interface Claimed {
  readonly claim: string;
  /** One in each line. */
  readonly values: string;
}

export interface Props {
  readonly typed: Claimed;
  readonly error: unknown;
  readonly onChange: (typed: Claimed) => void;
}

/** The fields that say to whom a rule applies. */
export function RuleFields({ typed, error, onChange }: Props) {
  const { rules: texts } = useTexts();
  return (
    <>
      <TextField
        label={texts.columns.claim}
        hint={texts.claimHint}
        value={typed.claim}
        errors={causesOf(error, 'spec.claim')}
        mono
        onChange={(claim) => onChange({ ...typed, claim })}
      />
      <TextField
        label={texts.columns.values}
        hint={texts.valuesHint}
        value={typed.values}
        errors={causesOf(error, 'spec.values')}
        lines={3}
        mono
        onChange={(values) => onChange({ ...typed, values })}
      />
    </>
  );
}
