import { biomassSignalSetting, dosingAutomationJob, temperatureAutomationJob } from '@lcs/domain';
import { Anchor, Button, Radio, Stack, Text } from '@mantine/core';
import { type FormEvent, useEffect, useMemo, useRef, useState } from 'react';
import { type FieldValue, FormField } from '../forms/form-field.tsx';
import { useJobs } from '../services/queries.ts';
import { useUnsavedWork } from '../services/services.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { WarningIcon } from '../ui/icons.tsx';
import { Moment } from '../ui/moments.tsx';
import { valueText } from '../ui/number-text.ts';
import { commonWords } from '../words/common.ts';
import { jobsWords } from '../words/jobs.ts';
import type { BiomassChoice } from './biomass-choices.ts';
import { BiomassField } from './biomass-field.tsx';
import { Consequences } from './consequences.tsx';
import { dosingConsequences, dosingTotal } from './dosing-consequence.ts';
import type { ShownJob } from './job-catalog.ts';
import type { Confirmation } from './job-control.ts';
import {
  enteredIn,
  fieldFault,
  fieldsFor,
  formOnScales,
  proposedVariant,
  type StartField,
  type StartForm,
  type StartValues,
  type StartVariant,
  startOptions,
} from './job-forms.ts';
import { proposedLast } from './last-used.ts';
import { MissingCalibrations } from './missing-calibrations.tsx';
import { MissingReadings } from './missing-readings.tsx';
import { withPresentLiquid } from './present-liquid.ts';
import { pumpWarnings } from './pump-capacity.ts';
import { waitingDosings } from './running-dosing.ts';
import { descriptorOf } from './start-fields.ts';
import styles from './start-job.module.css';
import { ConfirmDilutionAlert, isUnconfirmed, RefusalAlerts, type StartRefusal } from './start-refusals.tsx';
import { TargetQuestion } from './target-question.tsx';
import { temperatureConsequences } from './temperature-consequence.ts';
import { useBiomassChoices } from './use-biomass-choices.ts';
import { useFreshLastUsed } from './use-job-catalog.ts';
import { useTemperatures } from './use-temperatures.ts';
import { densityWarnings, stirringWarnings, temperatureWarnings } from './value-warnings.ts';

/** The state of the requested start; `refusals`: the reason of each unit that refused it. */
export interface StartStatus {
  readonly isPending: boolean;
  readonly refusals: readonly StartRefusal[];
}

interface StartJobProps {
  readonly shown: ShownJob;
  /** The unit or units, as text. */
  readonly where: string;
  readonly units: readonly string[];
  readonly nameOf: (unit: string) => string;
  /** Units that cannot start it, with their reasons. */
  readonly shortfalls?: readonly { readonly unit: string; readonly reason: string }[];
  readonly status: StartStatus;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onStart: (options: ReturnType<typeof startOptions>) => void;
  /** A person has confirmed that pumps dilute at once on the units of these refusals. */
  readonly onConfirm: (
    options: ReturnType<typeof startOptions>,
    refusals: readonly StartRefusal[],
    confirmed: Confirmation,
  ) => void;
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
    <Radio.Group label={jobsWords.mode} value={chosen} onChange={onChoose}>
      <Stack gap={6} mt={6}>
        {variants.map(({ name, label, help, missing }) => (
          <Radio
            key={name}
            value={name}
            label={label}
            description={missing === null ? help : jobsWords.notPossibleNow(help, missing)}
            disabled={missing !== null}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}

/** A field that a unit refused, with the value that was sent. */
interface RefusedField {
  readonly name: string;
  readonly cause: string;
  readonly value: number | string | undefined;
}

/** A field shows the unit's refusal until its value is changed. */
const faultOf = (
  field: StartField,
  values: StartValues,
  isTried: boolean,
  refused: RefusedField | null,
): string | null => {
  const own = fieldFault(field, values);
  const value = enteredIn(field, values);
  if (own !== null) return isTried || value !== '' ? own : null;
  return refused?.name === field.name && refused.value === value ? refused.cause : null;
};

/** The first refusal about a field of the form. */
function refusedOf(
  refusals: readonly StartRefusal[],
  fields: readonly StartField[],
  sent: StartValues,
): RefusedField | null {
  for (const { field: name, cause } of refusals) {
    const field = fields.find((each) => each.name === name);
    if (field !== undefined) return { name: field.name, cause, value: enteredIn(field, sent) };
  }
  return null;
}

/** A refusal stands until the field that it names is changed; one that names none, until anything is changed. */
function standingRefusals(
  refusals: readonly StartRefusal[],
  { fields, values, sentValues, isAsSent }: ReturnType<typeof useStartValues>,
): readonly StartRefusal[] {
  return refusals.filter((refusal) => {
    const field = fields.find(({ name }) => name === refusal.field);
    return field === undefined ? isAsSent : enteredIn(field, values) === enteredIn(field, sentValues);
  });
}

/** The values of the form, and those that were last sent. */
function useStartValues(form: StartForm, isPending: boolean, onStart: StartJobProps['onStart']) {
  const [variant, setVariant] = useState<string | null>(() => proposedVariant(form));
  const [values, setValues] = useState<StartValues>({});
  const [sent, setSent] = useState<{ readonly values: StartValues; readonly variant: string | null } | null>(null);
  const [asked, setAsked] = useState<StartValues | null>(null);
  const [isTried, setTried] = useState(false);
  const fields = fieldsFor(form, variant);
  const options = startOptions(form, variant, values);
  const send = (): void => {
    setSent({ values, variant });
    setAsked(null);
    onStart(options);
  };
  /** `isQuestionable`: a person confirms these values before they are sent. */
  const submit = (event: FormEvent, isQuestionable: boolean): void => {
    event.preventDefault();
    setTried(true);
    if (isPending || fields.some((field) => fieldFault(field, values) !== null)) return;
    if (isQuestionable) setAsked(values);
    else send();
  };
  return {
    variant,
    setVariant,
    values,
    fields,
    options,
    isTried,
    submit,
    send,
    /** Values that were changed since need a new question. */
    isAsked: asked === values,
    /** The values of the fields, as they would be sent. */
    entered: Object.fromEntries(fields.map((field) => [field.name, enteredIn(field, values)])),
    setValue: (name: string, value: FieldValue): void =>
      setValues({ ...values, [name]: typeof value === 'number' ? value : String(value) }),
    sentValues: sent?.values ?? {},
    /** Whether anything differs from the proposals. */
    isChanged:
      variant !== proposedVariant(form) || fields.some((field) => enteredIn(field, values) !== enteredIn(field, {})),
    /** A start that was changed since needs a new confirmation. */
    isAsSent: sent !== null && sent.values === values && sent.variant === variant,
  };
}

interface StartFieldsProps {
  readonly input: ReturnType<typeof useStartValues>;
  readonly fields: readonly StartField[];
  readonly refused: RefusedField | null;
  readonly choices: readonly BiomassChoice[];
  /** What the pumps cannot do, by field. */
  readonly warnings: Readonly<Record<string, readonly string[]>>;
}

type Warnings = StartFieldsProps['warnings'];

/** The warnings of both, by field. */
const joined = (one: Warnings, other: Warnings): Warnings =>
  Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)])].map((name) => [
      name,
      [...(one[name] ?? []), ...(other[name] ?? [])],
    ]),
  );

/** What may go wrong with a valid value. */
export const FieldWarnings = ({ texts }: { readonly texts: readonly string[] }) =>
  texts.map((text) => (
    <Text key={text} className={styles.warning ?? ''} size="sm" role="status">
      <WarningIcon size={14} />
      <span>{text}</span>
    </Text>
  ));

/** Where the proposed value comes from, and the way to the default and back. */
export function LastUsed({
  field,
  values,
  onUse,
}: {
  readonly field: StartField;
  readonly values: StartValues;
  readonly onUse: (value: FieldValue) => void;
}) {
  const last = proposedLast(field, values);
  if (last === null || last.value === field.initial) return null;
  const isUsed = enteredIn(field, values) === last.value;
  const shown = (value: number | string): string =>
    [typeof value === 'number' ? valueText(value) : value, field.unit].filter((part) => part !== null).join(' ');
  return (
    <Text size="sm" mt={4}>
      {isUsed ? (
        <>
          {jobsWords.lastUsedAt(<Moment ms={last.atMs} />)}
          {last.experiment !== null && `, ${last.experiment}`}.
        </>
      ) : (
        jobsWords.lastUsed
      )}{' '}
      <Anchor
        component="button"
        type="button"
        size="sm"
        aria-label={`${field.label}: ${isUsed ? jobsWords.defaultAgain : jobsWords.sameAgain(shown(last.value))}`}
        onClick={() => onUse(isUsed ? field.initial : last.value)}
      >
        {isUsed ? jobsWords.toDefault(field.initial === '' ? '' : ` (${shown(field.initial)})`) : shown(last.value)}
      </Anchor>
    </Text>
  );
}

function StartFields({ input, fields, refused, choices, warnings }: StartFieldsProps) {
  const { variant, values, isTried, setValue } = input;
  const scaleOf = ({ densityOf }: StartField): BiomassChoice | null => {
    const signal = densityOf === 'chosen' ? values[biomassSignalSetting] : densityOf;
    return choices.find((choice) => choice.signal === signal) ?? null;
  };
  return fields.map((field, index) => {
    const common = {
      fault: faultOf(field, values, isTried, refused),
      onChange: (value: FieldValue) => setValue(field.name, value),
    };
    const key = `${variant} ${field.name}`;
    const value = enteredIn(field, values);
    return field.kind === 'scale' ? (
      <BiomassField key={key} {...common} field={field} choices={choices} value={String(value)} />
    ) : (
      <div key={key}>
        <FormField {...common} field={descriptorOf(field, scaleOf(field), index === 0)} value={value} />
        <LastUsed field={field} values={values} onUse={common.onChange} />
        <FieldWarnings texts={warnings[field.name] ?? []} />
      </div>
    );
  });
}

type OpenedFormProps = Omit<StartJobProps, 'where' | 'isOpen'> & { readonly form: StartForm };

/** What the job is, and what is not known or not possible on these units. */
function StartNotes({ shown, form, shortfalls = [] }: OpenedFormProps) {
  return (
    <>
      <Text size="sm" c="dimmed">
        {[shown.help, shown.plugin === null ? '' : jobsWords.fromPlugin(shown.plugin)].join(' ').trim()}
      </Text>
      {!form.isWhole && <Text size="sm">{jobsWords.optionsNotLoadedYet}</Text>}
      {shortfalls.map(({ unit, reason }) => (
        <Text key={unit} size="sm">
          {jobsWords.notOnUnit(unit, reason)}
        </Text>
      ))}
    </>
  );
}

/** The form with its proposals. They stay as they were when it opened: what arrives later must not change what a person has read. */
function OpenedForm(props: OpenedFormProps) {
  const { shown, units, nameOf, status, onClose, onStart, onConfirm } = props;
  const { isPending } = status;
  const isDosing = shown.name === dosingAutomationJob.name;
  const { choices, reported } = useBiomassChoices(units, nameOf, isDosing);
  const form = useMemo(
    () => withPresentLiquid(formOnScales(props.form, choices), reported),
    [props.form, choices, reported],
  );
  const temperatures = useTemperatures(units, nameOf, shown.name === temperatureAutomationJob.name);
  const input = useStartValues(form, isPending, onStart);
  const { variant, fields, options } = input;
  useUnsavedWork(input.isChanged && !isPending);
  const [showsAll, setShowsAll] = useState(false);
  const refused = refusedOf(status.refusals, fields, input.sentValues);
  const running = useJobs() ?? [];
  const starts = units.map((unit) => ({ unit, jobs: [shown.name] }));
  const consequences = isDosing
    ? [
        ...dosingConsequences(variant, input.entered, reported),
        ...dosingTotal([{ automation: variant, values: input.entered, reported }]),
      ]
    : [
        ...temperatureConsequences(variant, input.entered.target_temperature, temperatures),
        ...waitingDosings(starts, nameOf, running),
      ];
  const warnings = isDosing
    ? joined(pumpWarnings(variant, input.entered, reported), densityWarnings(variant, input.entered, reported))
    : joined(temperatureWarnings(variant, input.entered), stirringWarnings(input.entered));
  const doubtful = isDosing ? Object.values(densityWarnings(variant, input.entered, reported)).flat() : [];
  const standing = standingRefusals(status.refusals, input);
  const unconfirmed = input.isAsSent ? standing.filter(isUnconfirmed) : [];
  const shownFields = fields.filter(({ isMain, name }) => isMain || showsAll || refused?.name === name);
  const element = useRef<HTMLFormElement>(null);
  // The dialog has set the focus before the form was there.
  useEffect(() => {
    element.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
  }, []);
  return (
    <form ref={element} onSubmit={(event) => input.submit(event, doubtful.length > 0)} noValidate>
      <Stack gap="md">
        <StartNotes {...props} />
        {form.variants.length > 0 && <Variants variants={form.variants} chosen={variant} onChoose={input.setVariant} />}
        {isDosing && <MissingCalibrations automation={variant} units={units} nameOf={nameOf} />}
        {isDosing && <MissingReadings automation={variant} values={input.entered} units={units} nameOf={nameOf} />}
        <StartFields input={input} fields={shownFields} refused={refused} choices={choices} warnings={warnings} />
        {!showsAll && fields.length > shownFields.length && (
          <Button variant="default" size="xs" w="fit-content" onClick={() => setShowsAll(true)}>
            {jobsWords.moreOptions}
          </Button>
        )}
        {unconfirmed.length > 0 && (
          <ConfirmDilutionAlert
            refusals={unconfirmed}
            onConfirm={(confirmed) => onConfirm(options, unconfirmed, confirmed)}
          />
        )}
        {input.isAsked && doubtful.length > 0 && (
          <TargetQuestion texts={doubtful} action="start" onConfirm={input.send} />
        )}
        <RefusalAlerts refusals={standing.filter((refusal) => !isUnconfirmed(refusal))} />
        <DialogActions>
          {consequences.length > 0 && <Consequences texts={consequences} />}
          <Button variant="default" onClick={onClose}>
            {isPending ? commonWords.close : commonWords.cancel}
          </Button>
          <Button
            type="submit"
            {...((unconfirmed.length > 0 || (input.isAsked && doubtful.length > 0)) && { variant: 'default' as const })}
            loading={isPending}
          >
            {commonWords.start}
          </Button>
        </DialogActions>
      </Stack>
    </form>
  );
}

/** Shown while the values of the last run are asked for. */
const WaitingForm = ({ onClose }: Pick<StartJobProps, 'onClose'>) => (
  <Stack gap="md">
    <Text size="sm" role="status">
      {jobsWords.loadingLastRun}
    </Text>
    <DialogActions>
      <Button variant="default" onClick={onClose}>
        {commonWords.cancel}
      </Button>
      <Button disabled>{commonWords.start}</Button>
    </DialogActions>
  </Stack>
);

function StartContent({ where: _, isOpen: __, ...props }: StartJobProps) {
  const isFresh = useFreshLastUsed(props.shown);
  const [form, setForm] = useState<StartForm | null>(null);
  if (form === null && isFresh) setForm(props.shown.form);
  return form === null ? <WaitingForm onClose={props.onClose} /> : <OpenedForm {...props} form={form} />;
}

/**
 * The form that starts a job. An empty field means the configured or present value, which its hint states. The form stays open until the unit accepts the start; each time it
 * opens, it proposes values anew.
 */
export function StartJob(props: StartJobProps) {
  const { shown, where, isOpen, onClose } = props;
  return (
    <Dialog title={jobsWords.startOn(shown.title, where)} isOpen={isOpen} onClose={onClose}>
      <StartContent {...props} />
    </Dialog>
  );
}
