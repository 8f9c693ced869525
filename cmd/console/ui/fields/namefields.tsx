import { useState } from 'react';
import { nameFrom, nameProblem, type NameRule } from '../../client/names.js';
import { causesOf } from '../../client/status.js';
import { useTexts } from '../../texts/texts.js';
import { TextField } from './textfield.js';

/** The names of a new object. */
export interface Names {
  readonly name: string;
  readonly displayName: string;
  /** Whether somebody typed the name: it follows from the display name no more. */
  readonly isTyped?: boolean;
}

export const NO_NAMES: Names = { name: '', displayName: '' };

export interface Props {
  readonly names: Names;
  readonly onChange: (names: Names) => void;
  readonly nameHint?: string;
  /** Absent: names may have dots. */
  readonly rule?: NameRule;
  /** Whether the server generates a name if it is empty: then it does not follow from the display name. */
  readonly optional?: boolean;
  /** The error of the request; causes of both fields are shown beside them. */
  readonly error?: unknown;
}

/** The fields for the display name of a new object, and the name that follows from it until another one is typed. */
export function NameFields({
  names,
  onChange,
  nameHint,
  rule = 'subdomain',
  optional = false,
  error,
}: Props) {
  const { names: texts } = useTexts();
  const { name, displayName, isTyped = false } = names;
  const errors = useNameErrors(name, error, rule);
  return (
    <>
      <TextField
        label={texts.displayName}
        value={displayName}
        autoFocus
        errors={causesOf(error, 'spec.displayName')}
        onChange={(next) =>
          onChange({ ...names, displayName: next, name: optional || isTyped ? name : nameFrom(next) })
        }
      />
      <TextField
        label={texts.name}
        value={name}
        errors={errors}
        required={!optional}
        // The error says the same of the characters.
        {...(nameHint !== undefined && errors.length === 0 && { hint: nameHint })}
        onChange={(next) => onChange({ ...names, name: next, isTyped: next !== '' })}
      />
    </>
  );
}

/** What is wrong with a name, also what the server said of it, as long as it is the one that was sent. */
export function useNameErrors(name: string, error: unknown, rule: NameRule = 'subdomain'): readonly string[] {
  const { names: texts } = useTexts();
  const [refused, setRefused] = useState({ name, error });
  if (refused.error !== error) setRefused({ name, error });
  const problem = nameProblem(name, rule);
  if (problem !== undefined) return [texts.problems[problem](rule)];
  return refused.name === name ? causesOf(error, 'metadata.name') : [];
}
