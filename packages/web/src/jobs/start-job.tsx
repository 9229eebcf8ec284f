import { biomassSignalSetting } from '@lcs/domain';
import { Alert, Button, Radio, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type FieldValue, FormField } from '../forms/form-field.tsx';
import { type Refusal, unconfirmedCode } from '../tasks/unit-answers.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { WarningIcon } from '../ui/icons.tsx';
import type { BiomassChoice } from './biomass-choices.ts';
import { BiomassField } from './biomass-field.tsx';
import type { ShownJob } from './job-catalog.ts';
import {
  fieldFault,
  fieldsFor,
  type StartField,
  type StartValues,
  type StartVariant,
  startOptions,
} from './job-forms.ts';
import { descriptorOf } from './start-fields.ts';
import { useBiomassChoices } from './use-biomass-choices.ts';

/** The state of the requested start; `refusals`: the reason of each unit that refused it. */
export interface StartStatus {
  readonly isPending: boolean;
  readonly refusals: readonly StartRefusal[];
}

export type StartRefusal = Refusal & {
  /** Its label; `null`: there is one unit only. */
  readonly unit: string | null;
  /** Its name, where there are several units. */
  readonly unitId?: string;
};

interface StartJobProps {
  readonly shown: ShownJob;
  /** The unit or units, as text. */
  readonly where: string;
  readonly units: readonly string[];
  readonly nameOf: (unit: string) => string;
  /** Units that cannot start it, with their reasons. */
  readonly shortfalls?: readonly { readonly unit: string; readonly reason: string }[];
  readonly standing: StartStatus;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onStart: (options: ReturnType<typeof startOptions>) => void;
  /** A person has confirmed that pumps dilute at once on the units of these refusals. */
  readonly onConfirm: (options: ReturnType<typeof startOptions>, refusals: readonly StartRefusal[]) => void;
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

/** The end of a long form may be out of view: a refusal must be visible. */
const show = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' });

const isUnconfirmed = ({ code }: StartRefusal): boolean => code === unconfirmedCode;

interface UnconfirmedProps {
  readonly refusals: readonly StartRefusal[];
  readonly onConfirm: () => void;
}

/** Asks for a confirmation before pumps run. */
function Unconfirmed({ refusals, onConfirm }: UnconfirmedProps) {
  return (
    <Alert ref={show} color="orange" variant="light" icon={<WarningIcon />} aria-label="The pumps may dilute at once">
      <Text fw={600}>The pumps may dilute at once</Text>
      {refusals.map(({ unit, cause }) => (
        <Text key={unit} size="sm">
          {unit === null ? cause : `${unit}: ${cause}`}
        </Text>
      ))}
      <Text size="sm">Nothing has been started there. Check the target and its scale.</Text>
      <Button color="red.9" mt="xs" onClick={onConfirm}>
        Start and dilute
      </Button>
    </Alert>
  );
}

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

/** A field shows the unit's refusal until its value is changed. */
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

/** The first refusal about a field of the form, with the value that was sent. */
function refusedOf(refusals: readonly StartRefusal[], fields: readonly StartField[], sent: StartValues) {
  for (const { field, cause } of refusals)
    if (field !== undefined && fields.some(({ name }) => name === field))
      return { name: field, cause, value: sent[field] };
  return null;
}

/** The form that starts a job. An empty field means the configured value. The form stays open until the unit accepts the start. */
export function StartJob(props: StartJobProps) {
  const { shown, where, units, nameOf, shortfalls = [], standing, isOpen, onClose, onStart, onConfirm } = props;
  const { form } = shown;
  const [chosen, setChosen] = useState<string | null>(null);
  const [values, setValues] = useState<StartValues>({});
  const [sent, setSent] = useState<StartValues>({});
  const [sentVariant, setSentVariant] = useState<string | null>(null);
  const [isTried, setTried] = useState(false);
  const [showsAll, setShowsAll] = useState(false);
  const variant = chosen ?? form.variants.find(({ missing }) => missing === null)?.name ?? null;
  const fields = fieldsFor(form, variant);
  const refused = refusedOf(standing.refusals, fields, sent);
  const choices = useBiomassChoices(units, nameOf, isOpen && fields.some(({ densityOf }) => densityOf !== null));
  const scaleOf = ({ densityOf }: StartField): BiomassChoice | null => {
    const signal = densityOf === 'chosen' ? values[biomassSignalSetting] : densityOf;
    return choices.find((choice) => choice.signal === signal) ?? null;
  };
  // A start that was changed since needs a new confirmation.
  const asked = values === sent && variant === sentVariant ? standing.refusals.filter(isUnconfirmed) : [];
  const refusals = standing.refusals.filter((refusal) => !isUnconfirmed(refusal));
  const shownFields = fields.filter(({ isMain, name }) => isMain || showsAll || refused?.name === name);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (standing.isPending || fields.some((field) => fieldFault(field, values) !== null)) return;
    setSent(values);
    setSentVariant(variant);
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
          {shownFields.map((field, index) => {
            const common = {
              field,
              fault: faultOf(field, values, isTried, refused),
              onChange: (value: FieldValue) =>
                setValues({ ...values, [field.name]: typeof value === 'number' ? value : String(value) }),
            };
            const key = `${variant} ${field.name}`;
            const value = values[field.name] ?? field.initial;
            return field.kind === 'scale' ? (
              <BiomassField key={key} {...common} choices={choices} value={String(value)} />
            ) : (
              <FormField key={key} {...common} field={descriptorOf(field, scaleOf(field), index === 0)} value={value} />
            );
          })}
          {!showsAll && fields.length > shownFields.length && (
            <Button variant="default" size="xs" w="fit-content" onClick={() => setShowsAll(true)}>
              More options
            </Button>
          )}
          {asked.length > 0 && (
            <Unconfirmed refusals={asked} onConfirm={() => onConfirm(startOptions(form, variant, values), asked)} />
          )}
          <Refusals refusals={refusals} />
          <DialogActions>
            <Button variant="default" onClick={onClose}>
              {standing.isPending ? 'Close' : 'Cancel'}
            </Button>
            <Button
              type="submit"
              {...(asked.length > 0 && { variant: 'default' as const })}
              loading={standing.isPending}
            >
              Start
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
