import { Button } from 'react-aria-components/Button';
import { ComboBox, ComboBoxStateContext } from 'react-aria-components/ComboBox';
import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Text } from 'react-aria-components/Text';
import { useContext, useEffect, useState } from 'react';
import type { Suggestion } from './suggestions.js';
import { lastOf, matching } from './suggestions.js';

export interface Props {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly suggestions: readonly Suggestion[];
  readonly errors?: readonly string[];
  readonly autoFocus?: boolean;
  /** Whether it is a list, separated by commas; what is typed last is searched for. */
  readonly several?: boolean;
  readonly onChange: (value: string) => void;
}

/** A text, with a list of those that are known, which typing searches. Others may be typed. */
export function SuggestField({
  label,
  hint,
  value,
  suggestions,
  errors = [],
  autoFocus = false,
  several = false,
  onChange,
}: Props) {
  const { before, last } = several ? lastOf(value) : { before: '', last: value };
  // What is drawn of an item is kept as long as it is the same one.
  const items = matching(suggestions, last).map((one) => ({ ...one, whole: before + one.id }));
  const [place, setPlace] = useState<HTMLElement | null>(null);
  return (
    <ComboBox
      className="field"
      allowsCustomValue
      menuTrigger={several ? 'input' : 'focus'}
      inputValue={value}
      items={items}
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
      <OpensLate there={suggestions.length > 0} />
      <div ref={setPlace} />
      {/* Within the dialog, as what belongs to it; it is placed by the window. */}
      <Popover className="popover suggested" UNSTABLE_portalContainer={place ?? undefined}>
        <ListBox<Suggestion & { readonly whole: string }> className="options">
          {({ id, text, whole }) => (
            <ListBoxItem id={id} textValue={whole} className="option">
              <span>{id}</span>
              {text !== '' && <span className="hint">{text}</span>}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}

/** Shows the list to whoever has typed before it came. */
function OpensLate({ there }: { readonly there: boolean }) {
  const state = useContext(ComboBoxStateContext);
  useEffect(() => {
    if (there && state?.isFocused === true && state.inputValue !== '') state.open(null, 'input');
    // Once, when it comes.
  }, [there]);
  return null;
}
