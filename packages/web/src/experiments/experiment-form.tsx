import { Skeleton, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import type { FieldRows } from '../forms/form-field.tsx';
import { FormDialog, useRequestForm } from '../forms/request-form.tsx';
import { applyLiveEvent } from '../live/live-cache.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { useUnitNames } from '../services/use-unit-names.ts';
import { commonWords } from '../words/common.ts';
import { experimentsWords } from '../words/experiments.ts';
import { CopiedUnits, useUnitsOfCopy } from './copied-units.tsx';
import type { DialogFrame, ExperimentDialog } from './dialogs.ts';
import { designOf, type ExperimentDesign, mergedDesign, tagsOfDesign } from './experiment-design.ts';
import { type ExperimentRow, tagsInUse } from './experiment-rows.ts';
import { nameFault, tagsFault } from './form-rules.ts';
import { type CopiedUnit, unitsAtFirst } from './units-of-copy.ts';
import { refusalText } from './use-experiment-change.ts';

type Subject = Extract<ExperimentDialog, { readonly kind: 'new' | 'edit' }>;

interface ExperimentFormProps extends DialogFrame {
  /** A new experiment, or the one to change. */
  readonly subject: Subject;
  readonly rows: readonly ExperimentRow[];
}

/** Where a new experiment takes its set-up from. */
const sourceOf = (subject: Subject): ExperimentRow | undefined =>
  subject.kind === 'new' ? subject.prefill?.source : undefined;

interface FormValues extends ExperimentDesign {
  readonly experiment: string;
  readonly description: string;
}

function initialValues(subject: Subject): FormValues {
  const row = subject.kind === 'edit' ? subject.row : sourceOf(subject);
  const { organism = '', medium = '', tags = [] } = row?.design ?? {};
  const experiment = subject.kind === 'edit' ? subject.row.experiment.experiment : (subject.prefill?.name ?? '');
  return { experiment, organism, medium, description: row?.experiment.description ?? '', tags };
}

/** What was entered before, each once, the newest first. */
const usedBefore = (rows: readonly ExperimentRow[], field: 'organism' | 'medium'): readonly string[] =>
  [...new Set(rows.map(({ design }) => design[field]))].filter((value) => value !== '');

/** The name of an experiment cannot be changed. */
function fieldsOf({ kind }: Subject, rows: readonly ExperimentRow[]): FieldRows {
  const isNew = kind === 'new';
  const hint = experimentsWords.cannotBeChangedLater;
  const name = {
    kind: 'text',
    name: 'experiment',
    label: commonWords.name,
    hint,
    isRequired: true,
    isFirst: true,
  } as const;
  const rest: FieldRows = [
    [
      { kind: 'text', name: 'organism', label: commonWords.organismStrain, suggestions: usedBefore(rows, 'organism') },
      { kind: 'text', name: 'medium', label: commonWords.medium, suggestions: usedBefore(rows, 'medium') },
    ],
    { kind: 'text', name: 'description', label: commonWords.description, isLong: true, isFirst: !isNew },
    {
      kind: 'tags',
      name: 'tags',
      label: commonWords.tags,
      hint: experimentsWords.enterOrCommaEndsTag,
      suggestions: tagsInUse(rows),
    },
  ];
  return isNew ? [name, ...rest] : rest;
}

/** Assigns units one after the other; returns why some were not assigned. */
function useAssign() {
  const { leader } = useServices();
  const nameOf = useUnitNames(false);
  return async (experiment: string, units: Iterable<string>): Promise<readonly string[]> => {
    const failed: string[] = [];
    for (const reactor_unit of units) {
      try {
        await leader.assignWorker({ params: { experiment }, body: { reactor_unit } });
      } catch (error) {
        failed.push(`${nameOf(reactor_unit)}: ${error instanceof Error ? refusalText(error) : String(error)}`);
      }
    }
    return failed;
  };
}

/** Creates the experiment and opens its page, or changes it. */
function useSave(subject: Subject, first: FormValues, units: ReadonlySet<string>, onClose: () => void) {
  const { leader, clock, toasts } = useServices();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const assign = useAssign();
  return useMutation({
    mutationFn: async (values: FormValues) => {
      const description = values.description.trim();
      if (subject.kind === 'new') {
        const source = sourceOf(subject)?.experiment.experiment;
        const saved = await leader.createExperiment({
          body: {
            experiment: values.experiment.trim(),
            description,
            tags: tagsOfDesign(values),
            ...(source !== undefined && { copy_from: source }),
          },
        });
        return { saved, failed: await assign(saved.experiment, units) };
      }
      const params = { experiment: subject.row.experiment.experiment };
      /** One list has organism, medium and tags: the changes are made to the list of now. */
      const changedTags = async (): Promise<string[]> => {
        const { tags } = await leader.getExperiment({ params });
        return tagsOfDesign(mergedDesign(subject.row.design, values, designOf(tags)));
      };
      const saved = await leader.updateExperiment({
        params,
        // An unchanged field is not sent, so that it does not undo the change of another person.
        body: {
          ...(values.description !== first.description && { description }),
          ...(`${tagsOfDesign(values)}` !== `${tagsOfDesign(first)}` && { tags: await changedTags() }),
        },
      });
      return { saved, failed: [] };
    },
    onSuccess: ({ saved, failed }) => {
      if (units.size === 0) applyLiveEvent(cache, 'experiment', saved, clock.now());
      else void cache.invalidateQueries({ queryKey: queryKeys.experiments });
      onClose();
      if (failed.length > 0) {
        toasts.want();
        notifications.show({
          title: commonWords.notAssigned,
          message: failed.join('\n'),
          color: 'red',
          autoClose: false,
        });
      }
      if (subject.kind === 'new')
        // A new experiment needs units first.
        void navigate({ to: '/experiments/$experiment/units', params: { experiment: saved.experiment } });
    },
  });
}

/** Why the values cannot be sent, by field. */
function rulesOf({ kind }: Subject, rows: readonly ExperimentRow[]) {
  const taken = new Set(rows.map((row) => row.experiment.experiment));
  const tagsRule = (_: unknown, values: FormValues) => tagsFault(tagsOfDesign(values));
  return {
    experiment: (name: string) => (kind === 'new' ? nameFault(name, taken) : null),
    tags: tagsRule,
  };
}

interface CopyPartProps {
  readonly source: string;
  /** Undefined: not known yet. */
  readonly units: readonly CopiedUnit[] | undefined;
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (units: ReadonlySet<string>) => void;
}

/** What a copy takes over, and which units. */
function CopyPart({ source, units, chosen, onChoose }: CopyPartProps) {
  return (
    <>
      <Text size="sm" c="dimmed">
        {experimentsWords.copiedFrom(source)}
      </Text>
      {units === undefined ? (
        <Skeleton height={60} role="status" aria-label={experimentsWords.loadingUnits} />
      ) : (
        <CopiedUnits units={units} chosen={chosen} onChoose={onChoose} />
      )}
    </>
  );
}

/** The units that a copy takes: those that were chosen, or the proposed ones. */
function useChosenUnits(source: string | undefined) {
  const [chosen, choose] = useState<ReadonlySet<string> | null>(null);
  const units = useUnitsOfCopy(source);
  return { units, choose, taken: chosen ?? unitsAtFirst(units ?? []) };
}

const titleOf = (subject: Subject): string => {
  if (subject.kind === 'edit') return experimentsWords.editNamed(subject.row.experiment.experiment);
  return subject.prefill === null
    ? commonWords.newExperiment
    : experimentsWords.copyNamed(subject.prefill.source.experiment.experiment);
};

/** Creates an experiment, or changes design, description and tags of one. */
export function ExperimentForm({ subject, rows, isOpen, onClose, onClosed }: ExperimentFormProps) {
  const source = sourceOf(subject)?.experiment.experiment;
  const units = useChosenUnits(source);
  const [first] = useState(() => initialValues(subject));
  const save = useSave(subject, first, units.taken, onClose);
  const state = useRequestForm(save, { initialValues: first, validate: rulesOf(subject, rows) });
  const isNew = subject.kind === 'new';
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    if (isNew || state.isDirty) state.submit(event);
    else {
      event.preventDefault();
      onClose();
    }
  };
  return (
    <FormDialog
      {...{ isOpen, onClose, onClosed }}
      state={{ ...state, submit }}
      title={titleOf(subject)}
      size="lg"
      fields={fieldsOf(subject, rows)}
      action={isNew ? experimentsWords.createExperiment : commonWords.save}
      isReady={source === undefined || units.units !== undefined}
      noValidate
    >
      {source !== undefined && (
        <CopyPart source={source} units={units.units} chosen={units.taken} onChoose={units.choose} />
      )}
    </FormDialog>
  );
}
