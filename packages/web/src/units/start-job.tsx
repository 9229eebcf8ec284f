import { Alert, Button, Group, Radio, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { WarningIcon } from '../ui/icons.tsx';
import type { ShownJob } from './job-catalog.ts';
import type { Refusal } from './job-control.ts';
import { JobField } from './job-field.tsx';
import {
  fieldFault,
  fieldsFor,
  refusedField,
  type StartField,
  type StartValues,
  type StartVariant,
  startOptions,
} from './job-forms.ts';

/** How the start that was asked for stands; `refusals`: why it was not done, for each unit that refused. */
export interface StartStanding {
  readonly isPending: boolean;
  readonly refusals: readonly StartRefusal[];
}

interface StartRefusal extends Refusal {
  /** As people call it; `null`: there is one unit only. */
  readonly unit: string | null;
}

interface StartJobProps {
  readonly shown: ShownJob;
  /** On which unit or units, in words. */
  readonly where: string;
  /** Units that cannot start it, with their reasons. */
  readonly shortfalls?: readonly { readonly unit: string; readonly reason: string }[];
  readonly standing: StartStanding;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onStart: (options: ReturnType<typeof startOptions>) => void;
}

function Variants({
  variants,
  chosen,
  onChoose,
}: {
  readonly variants: readonly StartVariant[];
  readonly chosen: string | null;
  readonly onChoose: (name: string) => void;
}) {
  return (
    <Radio.Group label="What it does" value={chosen} onChange={onChoose}>
      <Stack gap={6} mt={6}>
        {variants.map(({ name, label, help, missing }) => (
          <Radio
            key={name}
            value={name}
            label={label}
            description={missing === null ? help : `${help} Not possible now: ${missing}`}
            disabled={missing !== null}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}

/** A long form may have its end out of sight: what was refused must be seen. */
const show = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' });

function Refusals({ refusals }: { readonly refusals: readonly StartRefusal[] }) {
  return refusals.map(({ unit, error, cause, remediation }) => (
    <Alert
      key={`${unit} ${error}`}
      ref={show}
      color="red"
      variant="light"
      icon={<WarningIcon />}
      title={unit === null ? error : `${unit}: ${error}`}
    >
      {cause !== '' && cause !== error && <Text size="sm">{cause}</Text>}
      {remediation !== '' && <Text size="sm">{remediation}</Text>}
    </Alert>
  ));
}

/** What a unit has refused of a field stands at the field until something else is typed there. */
const faultOf = (
  field: StartField,
  values: StartValues,
  isTried: boolean,
  refused: { readonly name: string; readonly cause: string; readonly value: number | string | undefined } | null,
): string | null => {
  const own = fieldFault(field, values);
  if (own !== null) return isTried || (values[field.name] ?? '') !== '' ? own : null;
  return refused?.name === field.name && refused.value === values[field.name] ? refused.cause : null;
};

function refusedOf(refusals: readonly StartRefusal[], fields: readonly StartField[], sent: StartValues) {
  for (const refusal of refusals) {
    const field = refusedField(refusal, fields);
    if (field) return { name: field.name, cause: refusal.cause, value: sent[field.name] };
  }
  return null;
}

/** Asks what a job needs to know before it starts; what is left empty stays as configured. Stays until the unit agrees. */
export function StartJob(props: StartJobProps) {
  const { shown, where, shortfalls = [], standing, isOpen, onClose, onStart } = props;
  const { form } = shown;
  const [chosen, setChosen] = useState<string | null>(null);
  const [values, setValues] = useState<StartValues>({});
  const [sent, setSent] = useState<StartValues>({});
  const [isTried, setTried] = useState(false);
  const [showsAll, setShowsAll] = useState(false);
  const variant = chosen ?? form.variants.find(({ missing }) => missing === null)?.name ?? null;
  const fields = fieldsFor(form, variant);
  const refused = refusedOf(standing.refusals, fields, sent);
  const shownFields = fields.filter(({ isMain, name }) => isMain || showsAll || refused?.name === name);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (standing.isPending || fields.some((field) => fieldFault(field, values) !== null)) return;
    setSent(values);
    onStart(startOptions(form, variant, values));
  };
  return (
    <Dialog title={`Start ${shown.title} on ${where}`} isOpen={isOpen} onClose={onClose} closesOutside={false}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            {[shown.help, shown.plugin === null ? '' : `Brought by the plugin ${shown.plugin}.`].join(' ').trim()}
          </Text>
          {!form.isWhole && (
            <Text size="sm">It is not known yet what it takes here. It can be started as configured.</Text>
          )}
          {shortfalls.map(({ unit, reason }) => (
            <Text key={unit} size="sm">
              Not on {unit}: {reason}
            </Text>
          ))}
          {form.variants.length > 0 && <Variants variants={form.variants} chosen={variant} onChoose={setChosen} />}
          {shownFields.map((field, index) => (
            <JobField
              key={`${variant} ${field.name}`}
              field={field}
              value={values[field.name] ?? field.initial}
              fault={faultOf(field, values, isTried, refused)}
              isFirst={index === 0}
              onChange={(value) => setValues({ ...values, [field.name]: value })}
            />
          ))}
          {!showsAll && fields.length > shownFields.length && (
            <Button variant="default" size="xs" w="fit-content" onClick={() => setShowsAll(true)}>
              More options
            </Button>
          )}
          <Refusals refusals={standing.refusals} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {standing.isPending ? 'Close' : 'Cancel'}
            </Button>
            <Button type="submit" loading={standing.isPending}>
              Start
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
