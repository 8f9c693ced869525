import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createRuleCommand, type NewRule } from '../../client/commands/rulecommands.js';
import { createRule } from '../../client/grouprules.js';
import { causesOf } from '../../client/status.js';
import { useTexts } from '../../texts/texts.js';
import { Radios } from '../../ui/fields/choice.js';
import { useNameErrors } from '../../ui/fields/namefields.js';
import { TextField } from '../../ui/fields/textfield.js';
import { FormDialog } from '../../ui/formdialog.js';
import { linesOf } from '../../ui/names.js';
import { SuggestField } from '../../ui/suggest/suggestfield.js';
import { usePeople, useProjectNames } from '../../ui/suggest/useoffers.js';
import { RuleFields } from './rulefields.js';
import { clusterRolesOf, MemberRole, type ChosenRole } from '../projects/memberrole.js';

const FIELDS = ['metadata.name', 'spec.claim', 'spec.values'];
const TARGET_FIELDS = { team: ['spec.team'], project: ['spec.project', 'spec.clusterRole'] } as const;
const EMPTY = { name: '', claim: 'groups', values: '', team: '', project: '' };

/** Creates a rule. */
export function CreateRule({ onClose }: { readonly onClose: () => void }) {
  const { rules: texts, actions } = useTexts();
  const navigate = useNavigate();
  const [typed, setTyped] = useState(EMPTY);
  const [gives, setGives] = useState<NewRule['gives']>('team');
  const [chosen, setChosen] = useState<ChosenRole>({ role: 'user', typed: '' });
  const [role = '', ...otherRoles] = clusterRolesOf(chosen);
  const hasOneRole = otherRoles.length === 0;
  const rule: NewRule = { ...typed, values: linesOf(typed.values), gives, role };
  const set =
    (field: keyof typeof EMPTY) =>
    (value: string): void =>
      setTyped({ ...typed, [field]: value });
  const submit = async (): Promise<void> => {
    await createRule(rule);
    await navigate({ to: '/grouprules/$name', params: { name: rule.name } });
  };
  return (
    <FormDialog
      title={texts.create}
      action={actions.create}
      disabled={typed[gives] === '' || (gives === 'project' && !hasOneRole)}
      shown={[...FIELDS, ...TARGET_FIELDS[gives]]}
      commands={[createRuleCommand(rule)]}
      onClose={onClose}
      onSubmit={submit}
    >
      {(error) => (
        <>
          <Name value={typed.name} error={error} onChange={set('name')} />
          <RuleFields typed={typed} error={error} onChange={(next) => setTyped({ ...typed, ...next })} />
          <Radios label={texts.gives} value={gives} options={texts.givesKinds} onChange={setGives} />
          {gives === 'team' ? (
            <Team value={typed.team} errors={causesOf(error, 'spec.team')} onChange={set('team')} />
          ) : (
            <>
              <Project
                value={typed.project}
                errors={causesOf(error, 'spec.project')}
                onChange={set('project')}
              />
              <MemberRole
                chosen={chosen}
                errors={hasOneRole ? causesOf(error, 'spec.clusterRole') : [texts.oneRole]}
                onChange={setChosen}
              />
            </>
          )}
        </>
      )}
    </FormDialog>
  );
}

interface NameProps {
  readonly value: string;
  readonly error: unknown;
  readonly onChange: (value: string) => void;
}

function Name({ value, error, onChange }: NameProps) {
  const { names: texts } = useTexts();
  const errors = useNameErrors(value, error);
  return (
    <TextField label={texts.name} value={value} errors={errors} required autoFocus onChange={onChange} />
  );
}

interface TargetProps {
  readonly value: string;
  readonly errors: readonly string[];
  readonly onChange: (value: string) => void;
}

function Team(props: TargetProps) {
  const { rules: texts } = useTexts();
  return <SuggestField label={texts.columns.team} suggestions={usePeople('Team')} {...props} />;
}

function Project(props: TargetProps) {
  const { rules: texts } = useTexts();
  return <SuggestField label={texts.columns.project} suggestions={useProjectNames()} {...props} />;
}
