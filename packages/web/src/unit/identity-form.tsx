import { leaderApi, type Model } from '@lcs/contract';
import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { useModels } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useMutation } from '../services/use-mutation.ts';
import { LeaveGuard } from '../ui/leave-guard.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { uiWords } from '../words/ui.ts';
import { unitWords } from '../words/unit.ts';
import type { UnitFacts } from './use-unit.ts';

const keyOf = ({ model_name, model_version }: Pick<Model, 'model_name' | 'model_version'>): string =>
  `${model_name} ${model_version}`;

/** The label of the unit in its experiment. */
function LabelForm({ facts, experiment }: { readonly facts: UnitFacts; readonly experiment: string }) {
  const { unit, label } = facts;
  const { leader } = useServices();
  const cache = useQueryClient();
  const may = useMay();
  const [typed, setTyped] = useState<string | null>(null);
  const save = useMutation({
    mutationFn: (text: string) => leader.putUnitLabel({ params: { experiment }, body: { unit, label: text } }),
    // What was typed meanwhile stays.
    onSuccess: (_, text) => setTyped((current) => (current?.trim() === text ? null : current)),
    onSettled: () => cache.invalidateQueries({ queryKey: queryKeys.labels(experiment) }),
  });
  const isUnsaved = typed !== null && typed !== (label ?? '');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate((typed ?? '').trim());
  };
  return (
    <form onSubmit={submit}>
      <LeaveGuard what={uiWords.theLabel} isUnsaved={isUnsaved} />
      <Group gap="xs" align="end" wrap="nowrap">
        <TextInput
          flex={1}
          label={unitWords.labelIn(experiment)}
          placeholder={unit}
          maxLength={100}
          autoComplete="off"
          value={typed ?? label ?? ''}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Button
          type="submit"
          variant="default"
          disabled={!isUnsaved}
          loading={save.isPending}
          {...may(leaderApi.putUnitLabel)}
        >
          {commonWords.save}
        </Button>
      </Group>
      {save.error && <ProblemAlert error={save.error} />}
    </form>
  );
}

/** The model of the unit: it determines the volume of the vial and the limits of its heater. */
function ModelForm({ facts: { unit, worker } }: { readonly facts: UnitFacts }) {
  const { leader } = useServices();
  const cache = useQueryClient();
  const may = useMay();
  const { data: models = [] } = useModels();
  const save = useMutation({
    mutationFn: ({ model_name, model_version }: Model) =>
      leader.setWorkerModel({ params: { reactor_unit: unit }, body: { model_name, model_version } }),
    onSettled: () => cache.invalidateQueries({ queryKey: queryKeys.workers }),
  });
  const { model_name = null, model_version = null } = worker ?? {};
  const present = model_name !== null && model_version !== null ? keyOf({ model_name, model_version }) : null;
  return (
    <>
      <Select
        label={commonWords.model}
        description={unitWords.modelHelp}
        placeholder={commonWords.notSet}
        data={models.map((each) => ({ value: keyOf(each), label: `${each.display_name}` }))}
        value={present}
        allowDeselect={false}
        onChange={(key) => {
          const chosen = models.find((each) => keyOf(each) === key);
          if (chosen) save.mutate(chosen);
        }}
        withScrollArea={false}
        comboboxProps={{ withinPortal: false }}
        {...may(leaderApi.setWorkerModel)}
      />
      {save.error && <ProblemAlert error={save.error} />}
    </>
  );
}

/** How the unit is called in its experiment, and what it is. */
export const IdentityForm = ({ facts }: { readonly facts: UnitFacts }) => (
  <Panel title={unitWords.labelAndModel}>
    <Stack gap="sm">
      {facts.experiment !== null && <LabelForm facts={facts} experiment={facts.experiment} />}
      <ModelForm facts={facts} />
    </Stack>
  </Panel>
);
