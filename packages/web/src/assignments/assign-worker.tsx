import { leaderApi } from '@lcs/contract';
import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { useAssignments } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import styles from './assign-worker.module.css';
import { type Candidate, candidates } from './assigned-workers.ts';

const optionLabel = ({ unit, isActive, from }: Candidate): string =>
  [unit, from === null ? null : `in ${from}`, isActive ? null : 'inactive'].filter(Boolean).join(' · ');

const optionsOf = (list: readonly Candidate[]) => list.map((each) => ({ value: each.unit, label: optionLabel(each) }));

interface WorkerChoiceProps {
  readonly all: readonly Candidate[];
  readonly chosen: Candidate | undefined;
  readonly placeholder: string;
  readonly onChoose: (unit: string | null) => void;
}

function WorkerChoice({ all, chosen, placeholder, onChoose }: WorkerChoiceProps) {
  return (
    <Select
      aria-label="Worker to assign"
      placeholder={placeholder}
      disabled={all.length === 0}
      data={[
        { group: 'Free', items: optionsOf(all.filter(({ from }) => from === null)) },
        { group: 'In another experiment', items: optionsOf(all.filter(({ from }) => from !== null)) },
      ]}
      value={chosen?.unit ?? null}
      onChange={onChoose}
      searchable
      nothingFoundMessage="No such worker"
      withScrollArea={false}
      comboboxProps={{ withinPortal: false }}
      className={styles.select}
    />
  );
}

/** Assigns a worker to the experiment; asks before it takes one from another experiment. */
export function AssignWorker({ experiment }: { readonly experiment: string }) {
  const { leader } = useServices();
  const cache = useQueryClient();
  const { data: assignments } = useAssignments();
  const [chosenUnit, choose] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const may = useMay();

  const all = candidates(experiment, assignments ?? []);
  const chosen = all.find(({ unit }) => unit === chosenUnit);
  const assignment = useMutation({
    mutationFn: (unit: string) => leader.assignWorker({ params: { experiment }, body: { reactor_unit: unit } }),
    onSuccess: () => {
      choose(null);
      setAsking(false);
    },
    onSettled: () => cache.invalidateQueries({ queryKey: queryKeys.assignments }),
  });
  const assign = (): void => {
    if (chosen) assignment.mutate(chosen.unit);
  };
  const changeChoice = (unit: string | null): void => {
    assignment.reset();
    choose(unit);
  };
  const problem = assignment.error && <ProblemAlert error={assignment.error} />;
  const placeholder = assignments && all.length === 0 ? 'No other workers' : 'Choose a worker';

  return (
    <div className={styles.assign}>
      <Group gap={6} wrap="nowrap">
        <WorkerChoice all={all} chosen={chosen} placeholder={placeholder} onChoose={changeChoice} />
        <Button
          disabled={!chosen}
          loading={assignment.isPending}
          onClick={() => (chosen?.from === null ? assign() : setAsking(true))}
          {...may(leaderApi.assignWorker)}
        >
          Assign
        </Button>
      </Group>
      {!isAsking && problem}
      <Dialog title={`Move ${chosen?.unit ?? 'the worker'}?`} isOpen={isAsking} onClose={() => setAsking(false)}>
        <Stack gap="md">
          <Text size="sm">
            {chosen?.unit} is assigned to {chosen?.from}. Its jobs there are stopped when it moves to {experiment}. Its
            readings stay with {chosen?.from}.
          </Text>
          {problem}
          <DialogActions>
            <Button variant="default" onClick={() => setAsking(false)} data-autofocus>
              Cancel
            </Button>
            <Button onClick={assign} loading={assignment.isPending}>
              Move worker
            </Button>
          </DialogActions>
        </Stack>
      </Dialog>
    </div>
  );
}
