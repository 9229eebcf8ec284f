import type { ExperimentAccess, ExperimentAccessChange, Person } from '@lcs/contract';
import { Alert, Button, MultiSelect, Select, Skeleton, Stack, Switch, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { useExperimentAccess, usePeople, useSession } from '../services/queries.ts';
import { useServices, useUnsavedWork } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { WarningIcon } from '../ui/icons.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { experimentsWords } from '../words/experiments.ts';
import type { DialogFrame } from './dialogs.ts';

type Values = Pick<ExperimentAccess, 'owner' | 'is_protected' | 'members'>;

/** Only what was changed, so that it does not undo the change of another person. */
function changeOf(before: Values, after: Values): ExperimentAccessChange {
  const hasSameMembers = [...before.members].sort().join() === [...after.members].sort().join();
  return {
    ...(after.owner !== before.owner && { owner: after.owner }),
    ...(after.is_protected !== before.is_protected && { is_protected: after.is_protected }),
    ...(!hasSameMembers && { members: [...after.members] }),
  };
}

/** People by name, and those that are named already. */
const optionsOf = (people: readonly Person[], named: readonly string[]) =>
  [...new Set([...people.map(({ name }) => name), ...named])].map((name) => {
    const display = people.find((person) => person.name === name)?.display_name ?? name;
    return { value: name, label: display === name ? name : `${name} (${display})` };
  });

interface AccessFormProps {
  readonly experiment: string;
  readonly access: ExperimentAccess;
  readonly people: readonly Person[];
  readonly onClose: () => void;
}

interface FieldsProps {
  readonly values: Values;
  readonly people: readonly Person[];
  readonly onChange: (change: Partial<Values>) => void;
}

const list = { withScrollArea: false, comboboxProps: { withinPortal: false } } as const;

const Fields = ({ values, people, onChange }: FieldsProps) => (
  <>
    <Switch
      label={experimentsWords.protected}
      description={experimentsWords.protectionHelp}
      checked={values.is_protected}
      onChange={(event) => onChange({ is_protected: event.currentTarget.checked })}
    />
    <MultiSelect
      {...list}
      label={commonWords.members}
      placeholder={values.members.length === 0 ? experimentsWords.nobody : ''}
      data={optionsOf(people, values.members)}
      value={[...values.members]}
      onChange={(members) => onChange({ members })}
      nothingFoundMessage={experimentsWords.noSuchPerson}
      searchable
    />
    <Select
      {...list}
      label={commonWords.owner}
      description={experimentsWords.changesMembersProtectionAndOwner}
      placeholder={experimentsWords.nobodyAdministratorsOnly}
      data={optionsOf(people, values.owner === null ? [] : [values.owner])}
      value={values.owner}
      onChange={(owner) => onChange({ owner })}
      searchable
      clearable
    />
  </>
);

/** Changes owner, members and protection. */
function AccessForm({ experiment, access, people, onClose }: AccessFormProps) {
  const { leader } = useServices();
  const cache = useQueryClient();
  const session = useSession();
  const [values, setValues] = useState<Values>(access);
  const change = changeOf(access, values);
  const isChanged = Object.keys(change).length > 0;
  const save = useMutation({
    mutationFn: () => leader.updateExperimentAccess({ params: { experiment }, body: change }),
    onSuccess: (saved) => {
      cache.setQueryData(queryKeys.experimentAccess(experiment), saved);
      onClose();
    },
  });
  useUnsavedWork(isChanged);
  const handsOver = access.owner === session?.name && values.owner !== access.owner;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isChanged) save.mutate();
    else onClose();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Fields
          values={values}
          people={people}
          onChange={(changed) => setValues((known) => ({ ...known, ...changed }))}
        />
        {handsOver && (
          <Alert color="orange" variant="light" icon={<WarningIcon />}>
            {experimentsWords.youHandExperimentOverTo(values.owner ?? commonWords.nobody)}
          </Alert>
        )}
        {save.error && <ProblemAlert error={save.error} />}
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            {commonWords.cancel}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {commonWords.save}
          </Button>
        </DialogActions>
      </Stack>
    </form>
  );
}

/** Owner, members and protection, for people who may not change them. */
const AccessFacts = ({ access, hasPeople }: { readonly access: ExperimentAccess; readonly hasPeople: boolean }) => (
  <Stack gap="xs">
    <Text size="sm">{experimentsWords.ownerIs(access.owner ?? commonWords.nobody)}</Text>
    <Text size="sm">
      {experimentsWords.membersAre(access.members.length === 0 ? commonWords.nobody : access.members.join(', '))}
    </Text>
    <Text size="sm">{access.is_protected ? experimentsWords.protected : experimentsWords.notProtected}</Text>
    <Text size="sm" c="dimmed">
      {hasPeople ? experimentsWords.ownerAndAdministratorsChangeThis : experimentsWords.noPersonHasAccountYet}
    </Text>
  </Stack>
);

/** Who acts on an experiment. */
export function ExperimentAccessDialog({
  experiment,
  isOpen,
  onClose,
  onClosed,
}: DialogFrame & { readonly experiment: string }) {
  const access = useExperimentAccess(experiment);
  const people = usePeople();
  const hasPeople = people.data !== undefined && people.data.length > 0;
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      onClosed={onClosed}
      title={experimentsWords.ownerAndMembersOf(experiment)}
    >
      {people.error && <ProblemAlert error={people.error} />}
      {access === undefined || people.data === undefined ? (
        <Skeleton height={120} role="status" aria-label={experimentsWords.loadingOwnerAndMembers} />
      ) : access.may_change && hasPeople ? (
        <AccessForm experiment={experiment} access={access} people={people.data} onClose={onClose} />
      ) : (
        <AccessFacts access={access} hasPeople={hasPeople} />
      )}
    </Dialog>
  );
}
