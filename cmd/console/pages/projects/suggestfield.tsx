import { Button } from 'react-aria-components/Button';
import { ComboBox } from 'react-aria-components/ComboBox';
import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Text } from 'react-aria-components/Text';
import { useState } from 'react';
import type { Suggestion } from '../../client/projectedits/suggestions.js';
import { matching } from '../../client/projectedits/suggestions.js';

export interface Props {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly suggestions: readonly Suggestion[];
  readonly errors: readonly string[];
  readonly autoFocus?: boolean;
  readonly onChange: (value: string) => void;
}

/** A text, with a list of those that are known, which typing searches. Others may be typed. */
export function SuggestField({
  label,
  hint,
  value,
  suggestions,
  errors,
  autoFocus = false,
  onChange,
}: Props) {
  const [place, setPlace] = useState<HTMLElement | null>(null);
  return (
    <ComboBox
      className="field"
      allowsCustomValue
      menuTrigger="focus"
      inputValue={value}
      items={matching(suggestions, value)}
      isInvalid={errors.length > 0}
      validationBehavior="aria"
      onInputChange={onChange}
    >
      <Label className="label">{label}</Label>
      <div className="combo">
        <Input className="input" autoComplete="off" spellCheck={false} autoFocus={autoFocus} />
        <Button className="button quiet">
          <span aria-hidden="true">▾</span>
        </Button>
      </div>
      {hint !== undefined && (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      <FieldError className="fault">{errors.join(' ')}</FieldError>
      <div ref={setPlace} />
      {/* Within the dialog, as what belongs to it; it is placed by the window. */}
      <Popover className="popover suggested" UNSTABLE_portalContainer={place ?? undefined}>
        <ListBox<Suggestion> className="options">
          {({ id, text }) => (
            <ListBoxItem id={id} textValue={id} className="option">
              <span>{id}</span>
              {text !== '' && <span className="hint">{text}</span>}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
