import { Button } from 'react-aria-components/Button';
import { ComboBox, ComboBoxStateContext } from 'react-aria-components/ComboBox';
import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Text } from 'react-aria-components/Text';
import { useContext, useEffect, useState } from 'react';
import { lastOf, matching, type Suggestion } from './suggestions.js';

export interface Props {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly suggestions: readonly Suggestion[];
  readonly errors?: readonly string[];
  /** Whether the field is entered when it appears: its list opens then by typing, and covers nothing before. */
  readonly autoFocus?: boolean;
  /** Whether the list opens by typing alone, and not when the field is entered. */
  readonly byTyping?: boolean;
  /** Whether the value is a list, separated by commas; the last item is completed. */
  readonly several?: boolean;
  readonly onChange: (value: string) => void;
  /** Called when the field is left. */
  readonly onLeave?: () => void;
}

/** A text field with suggestions that match the typed text. Other texts are accepted, too. */
export function SuggestField({
  label,
  hint,
  value,
  suggestions,
  errors = [],
  autoFocus = false,
  byTyping = false,
  several = false,
  onChange,
  onLeave,
}: Props) {
  const { before, last } = several ? lastOf(value) : { before: '', last: value };
  // Rendered items are kept as long as the item is the same object.
  const items = matching(suggestions, last).map((one) => ({ ...one, whole: before + one.id }));
  const [place, setPlace] = useState<HTMLElement | null>(null);
  return (
    <ComboBox
      className="field"
      allowsCustomValue
      menuTrigger={several || autoFocus || byTyping ? 'input' : 'focus'}
      inputValue={value}
      items={items}
      isInvalid={errors.length > 0}
      validationBehavior="aria"
      onInputChange={onChange}
      onBlur={() => onLeave?.()}
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

/** Opens the list for a user who typed before the suggestions were loaded. */
function OpensLate({ there }: { readonly there: boolean }) {
  const state = useContext(ComboBoxStateContext);
  useEffect(() => {
    if (there && state?.isFocused === true && state.inputValue !== '') state.open(null, 'input');
    // Runs once, when the suggestions are loaded.
  }, [there]);
  return null;
}
