import { profileNotes, profileParameters, withWritten, yamlOf } from '@lcs/domain';
import { Button, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { numberFault } from '../forms/field-rules.ts';
import { type FieldValue, FormField } from '../forms/form-field.tsx';
import { useWorkers } from '../services/queries.ts';
import { Panel } from '../ui/panel.tsx';
import { commonWords } from '../words/common.ts';
import { protocolsWords } from '../words/protocols.ts';
import { chosenTwice, inputFields, noteWords, type ParameterField, timeFields, unitFields } from './input-fields.ts';
import styles from './profile-form.module.css';

interface ProfileFormProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onShowText: () => void;
  readonly isReadOnly: boolean;
}

interface ParameterProps {
  readonly parameter: ParameterField;
  /** Why the present value cannot stay. */
  readonly fault?: string | undefined;
  readonly isDisabled: boolean;
  /** The value as the text of the profile has it. */
  readonly onWrite: (written: string) => void;
  /** How a number is written. */
  readonly suffix?: string;
}

/** One value. It is written when the focus leaves it: a time that is half entered would join the actions of another one. */
function Parameter({ parameter, fault, isDisabled, onWrite, suffix = '' }: ParameterProps) {
  const { field, value, min } = parameter;
  const [entered, setEntered] = useState<FieldValue>();
  const limits = { isRequired: true, unit: null, min, max: null };
  const enteredFault =
    entered === undefined || field.kind === 'switch'
      ? null
      : field.kind === 'number'
        ? numberFault(limits, typeof entered === 'number' ? entered : String(entered))
        : String(entered).trim() === ''
          ? commonWords.valueIsNeeded
          : null;
  const write = (given: FieldValue): void => {
    setEntered(undefined);
    if (given === value || typeof given === 'object') return;
    onWrite(field.kind === 'number' ? `${given}${suffix}` : yamlOf(given));
  };
  const isChoice = field.kind === 'choice' || field.kind === 'switch';
  return (
    <FormField
      field={field}
      value={entered ?? value}
      fault={enteredFault === null ? fault : protocolsWords.profileKeeps(enteredFault, String(value))}
      isDisabled={isDisabled}
      onChange={isChoice ? write : setEntered}
      onLeave={() => {
        if (entered !== undefined && enteredFault === null) write(entered);
      }}
    />
  );
}

function Notes({ text }: { readonly text: string }) {
  const notes = profileNotes(text).filter(({ heading }) => heading !== 'Adapt');
  const parameters = profileParameters(text);
  if (notes.length === 0 || parameters === undefined) return null;
  return (
    <dl className={styles.notes}>
      {notes.map(({ heading, text: note }) => (
        <div key={heading}>
          <dt>{heading}</dt>
          <dd>{noteWords(note, parameters)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Sets the inputs, times and units of a profile; the rest of its text stays. */
export function ProfileForm({ text, onChange, onShowText, isReadOnly }: ProfileFormProps) {
  const parameters = useMemo(() => profileParameters(text), [text]);
  const { data: workers = [] } = useWorkers();
  if (parameters === undefined)
    return (
      <Panel title={protocolsWords.values}>
        <Text size="sm">{protocolsWords.textOfProfileHasErrors}</Text>
        <Button size="xs" variant="default" mt="xs" onClick={onShowText}>
          {protocolsWords.showText}
        </Button>
      </Panel>
    );
  const twice = chosenTwice(parameters);
  const units = workers.map(({ reactor_unit }) => reactor_unit);
  const draw = (fields: readonly ParameterField[], suffix = '') => (
    <div className={styles.fields}>
      {fields.map((parameter) => (
        <Parameter
          key={parameter.field.name}
          parameter={parameter}
          fault={
            parameter.field.kind === 'choice' && twice.has(String(parameter.value))
              ? protocolsWords.twoFieldsHaveThisUnit
              : undefined
          }
          isDisabled={isReadOnly}
          suffix={suffix}
          onWrite={(written) => onChange(withWritten(text, parameter.places, written))}
        />
      ))}
    </div>
  );
  const { inputs, times, units: named } = parameters;
  return (
    <Panel title={protocolsWords.values}>
      <div className={styles.form}>
        {inputs.length + times.length + named.length === 0 && <Text size="sm">{protocolsWords.noValuesHere}</Text>}
        {inputs.length > 0 && draw(inputFields(parameters))}
        {named.length > 0 && (
          <Stack gap="xs" component="section" aria-label={commonWords.units}>
            <Text component="h3" fw={600} size="sm" m={0}>
              {commonWords.units}
            </Text>
            {draw(unitFields(parameters, units))}
          </Stack>
        )}
        {times.length > 0 && (
          <Stack gap="xs" component="section" aria-label={protocolsWords.times}>
            <Text component="h3" fw={600} size="sm" m={0}>
              {protocolsWords.timesSinceStart}
            </Text>
            {draw(timeFields(parameters), 'h')}
          </Stack>
        )}
        <Notes text={text} />
        <Text size="sm" c="dimmed">
          {protocolsWords.otherStepsInText}
        </Text>
      </div>
    </Panel>
  );
}
