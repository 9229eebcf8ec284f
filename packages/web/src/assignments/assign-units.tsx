import { leaderApi } from '@lcs/contract';
import { Alert, Button, Group, ScrollArea, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { problemText } from '../api/problem.ts';
import { queryKeys } from '../api/query-keys.ts';
import { useAssignments } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useMutation } from '../services/use-mutation.ts';
import { useUnitNames } from '../services/use-unit-names.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { WarningIcon } from '../ui/icons.tsx';
import { assignmentsWords } from '../words/assignments.ts';
import { commonWords } from '../words/common.ts';
import { type Candidate, candidates } from './assigned-workers.ts';
import { UnitBoxes, withChosen } from './unit-boxes.tsx';

/** A unit that was not assigned, and why. */
interface NotAssigned {
  readonly unit: string;
  readonly reason: string;
}

/** Assigns units one after the other; those that fail are named, the others are assigned. */
function useAssignment(experiment: string, onDone: () => void) {
  const { leader } = useServices();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (units: readonly string[]): Promise<readonly NotAssigned[]> => {
      const failed: NotAssigned[] = [];
      for (const unit of units) {
        try {
          await leader.assignWorker({ params: { experiment }, body: { reactor_unit: unit } });
        } catch (error) {
          const { error: what, cause } = problemText(error);
          failed.push({ unit, reason: [...new Set([what, cause])].join(' ') });
        }
      }
      return failed;
    },
    onSuccess: (failed) => {
      if (failed.length === 0) onDone();
    },
    onSettled: () => cache.invalidateQueries({ queryKey: queryKeys.assignments }),
  });
}

function noteOf({ from, isActive }: Candidate): string | null {
  const notes = [from === null ? null : commonWords.inPlace(from), isActive ? null : commonWords.inactive];
  const known = notes.filter((note) => note !== null);
  return known.length === 0 ? null : known.join(' · ');
}

interface MovesProps {
  readonly moved: readonly Candidate[];
  readonly experiment: string;
  readonly nameOf: (unit: string) => string;
}

/** What the choice means for units that are in other experiments. */
function Moves({ moved, experiment, nameOf }: MovesProps) {
  if (moved.length === 0) return null;
  return (
    <Alert color="orange" variant="light" icon={<WarningIcon />}>
      {moved.map(({ unit, from }) => (
        <Text key={unit} size="sm">
          {assignmentsWords.leavesExperiment(nameOf(unit), from)}
        </Text>
      ))}
      <Text size="sm">{assignmentsWords.theyMoveTo(experiment)}</Text>
    </Alert>
  );
}

interface AssignUnitsProps {
  readonly experiment: string;
  readonly onClose: () => void;
}

/** Assigns any number of units to the experiment; names those that leave another experiment before they move. */
export function AssignUnits({ experiment, onClose }: AssignUnitsProps) {
  const { data: assignments } = useAssignments();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [filter, setFilter] = useState('');
  const assignment = useAssignment(experiment, onClose);
  const may = useMay();
  const nameOf = useUnitNames();
  const all = candidates(experiment, assignments ?? []);
  const shown = all.filter(({ unit }) => nameOf(unit).toLowerCase().includes(filter.trim().toLowerCase()));
  const picked = all.filter(({ unit }) => chosen.has(unit));
  const moved = picked.filter(({ from }) => from !== null);
  const boxes = shown.map((candidate) => ({ ...candidate, note: noteOf(candidate) }));
  const choose = (units: readonly string[], isChosen: boolean): void => setChosen(withChosen(chosen, units, isChosen));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (picked.length > 0) assignment.mutate(picked.map(({ unit }) => unit));
  };
  return (
    <Dialog isOpen onClose={onClose} title={commonWords.assignUnitsTo(experiment)} isDirty={picked.length > 0}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          {assignments && all.length === 0 && (
            <Text size="sm">
              {assignmentsWords.noFreeUnits}{' '}
              <Link to="/units" className="page-link in-text">
                {commonWords.units}
              </Link>
              .
            </Text>
          )}
          {all.length > 12 && (
            <TextInput
              aria-label={assignmentsWords.findUnit}
              placeholder={assignmentsWords.findUnit}
              value={filter}
              onChange={(event) => setFilter(event.currentTarget.value)}
            />
          )}
          <ScrollArea.Autosize mah="50vh">
            <Stack gap="sm">
              <UnitBoxes
                title={assignmentsWords.free}
                list={boxes.filter(({ from }) => from === null)}
                nameOf={nameOf}
                chosen={chosen}
                onChoose={choose}
              />
              <UnitBoxes
                title={assignmentsWords.inAnotherExperiment}
                list={boxes.filter(({ from }) => from !== null)}
                nameOf={nameOf}
                chosen={chosen}
                onChoose={choose}
              />
            </Stack>
          </ScrollArea.Autosize>
          <Moves moved={moved} experiment={experiment} nameOf={nameOf} />
          {assignment.data && assignment.data.length > 0 && (
            <Alert color="red" variant="light" icon={<WarningIcon />} title={commonWords.notAssigned}>
              {assignment.data.map(({ unit, reason }) => (
                <Text key={unit} size="sm">
                  {nameOf(unit)}: {reason}
                </Text>
              ))}
            </Alert>
          )}
          <DialogActions>
            <Group gap="xs">
              <Button variant="default" onClick={onClose}>
                {commonWords.cancel}
              </Button>
              <Button
                type="submit"
                loading={assignment.isPending}
                disabled={picked.length === 0}
                {...(picked.length === 0 ? {} : may(leaderApi.assignWorker))}
              >
                {moved.length > 0 ? assignmentsWords.moveAndAssign : assignmentsWords.assign}{' '}
                {picked.length > 0 ? picked.length : ''}
              </Button>
            </Group>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
