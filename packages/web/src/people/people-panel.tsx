import type { Person, Role } from '@lcs/contract';
import { Button, Group, NativeSelect, Skeleton, Table, Text, VisuallyHidden } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import type { FieldDescriptor } from '../forms/form-field.tsx';
import { FormDialog, useRequestForm } from '../forms/request-form.tsx';
import { usePeople } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { Moment } from '../ui/moments.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { peopleWords } from '../words/people.ts';
import { newPasswordFault, personNameFault } from './person-rules.ts';

const roles: readonly { readonly value: Role; readonly label: string }[] = [
  { value: 'viewer', label: peopleWords.viewerSeesEverything },
  { value: 'operator', label: peopleWords.operatorAlsoRunsExperiments },
  { value: 'administrator', label: peopleWords.administratorMayDoEverything },
];

const isRole = (value: unknown): value is Role => roles.some((role) => role.value === value);

const passwordField: FieldDescriptor = {
  kind: 'secret',
  name: 'password',
  label: commonWords.password,
  hint: commonWords.passwordMinimum,
  isRequired: true,
};

const fieldsOf = (isFirst: boolean): readonly FieldDescriptor[] => [
  { kind: 'text', name: 'name', label: commonWords.name, hint: peopleWords.forSignIn, isRequired: true, isFirst: true },
  { kind: 'text', name: 'display_name', label: peopleWords.fullName },
  ...(isFirst
    ? []
    : [{ kind: 'choice', name: 'role', label: peopleWords.role, options: roles, isNative: true } as const]),
  passwordField,
];

interface NewPerson {
  readonly name: string;
  readonly display_name: string;
  readonly role: Role;
  readonly password: string;
}

/** Creates a person; the first one is an administrator and signs in next. */
function PersonForm({ isFirst, onClose }: { readonly isFirst: boolean; readonly onClose: () => void }) {
  const { leader } = useServices();
  const cache = useQueryClient();
  const create = useMutation({
    mutationFn: ({ name, display_name, ...person }: NewPerson) => {
      const display = display_name.trim();
      return leader.createPerson({
        body: { ...person, name: name.trim(), ...(display !== '' && { display_name: display }) },
      });
    },
    onSuccess: async () => {
      onClose();
      await cache.invalidateQueries({ queryKey: isFirst ? queryKeys.session : queryKeys.people });
    },
  });
  const state = useRequestForm<NewPerson>(create, {
    initialValues: { name: '', display_name: '', role: isFirst ? 'administrator' : 'viewer', password: '' },
    validate: { name: personNameFault, password: newPasswordFault },
  });
  return (
    <FormDialog
      {...{ state, onClose }}
      title={isFirst ? peopleWords.createFirstAdministrator : peopleWords.addAPerson}
      fields={fieldsOf(isFirst)}
      action={isFirst ? peopleWords.createAdministrator : peopleWords.addPerson}
      noValidate
    >
      {isFirst && <Text size="sm">{peopleWords.firstPersonConsequence}</Text>}
    </FormDialog>
  );
}

function useUpdatePerson() {
  const { leader } = useServices();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: { readonly id: string; readonly role?: Role; readonly is_disabled?: boolean }) =>
      leader.updatePerson({ params: { person_id: id }, body }),
    onSettled: () => cache.invalidateQueries({ queryKey: queryKeys.people }),
  });
}

interface NewPassword {
  readonly password: string;
}

/** Sets the password of somebody who has forgotten it; the person changes it after the next sign-in. */
function PasswordForm({
  person: { person_id, name },
  onClose,
}: {
  readonly person: Person;
  readonly onClose: () => void;
}) {
  const { leader } = useServices();
  const save = useMutation({
    mutationFn: ({ password }: NewPassword) => leader.updatePerson({ params: { person_id }, body: { password } }),
    onSuccess: onClose,
  });
  const state = useRequestForm<NewPassword>(save, {
    initialValues: { password: '' },
    validate: { password: newPasswordFault },
  });
  return (
    <FormDialog
      {...{ state, onClose }}
      title={peopleWords.newPasswordFor(name)}
      fields={[passwordField]}
      action={peopleWords.setPassword}
      noValidate
    >
      <Text size="sm">{peopleWords.newPasswordConsequence(name)}</Text>
    </FormDialog>
  );
}

interface RowProps {
  readonly person: Person;
  readonly mayManage: boolean;
  readonly update: ReturnType<typeof useUpdatePerson>;
}

function PersonRow({ person, mayManage, update }: RowProps) {
  const { person_id: id, name, display_name, role, is_disabled, last_seen_at } = person;
  const [isSettingPassword, setSettingPassword] = useState(false);
  return (
    <Table.Tr>
      <Table.Td>{name}</Table.Td>
      <Table.Td>{display_name}</Table.Td>
      <Table.Td>
        {mayManage ? (
          <NativeSelect
            size="xs"
            aria-label={peopleWords.roleOf(name)}
            data={[...roles]}
            value={role}
            onChange={({ currentTarget: { value } }) => {
              if (isRole(value)) update.mutate({ id, role: value });
            }}
          />
        ) : (
          role
        )}
      </Table.Td>
      <Table.Td>{last_seen_at === null ? peopleWords.never : <Moment ms={Date.parse(last_seen_at)} />}</Table.Td>
      <Table.Td>
        {mayManage ? (
          <Group gap="xs">
            {isSettingPassword && <PasswordForm person={person} onClose={() => setSettingPassword(false)} />}
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => setSettingPassword(true)}
              aria-label={peopleWords.newPasswordFor(name)}
            >
              {peopleWords.newPassword}
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => update.mutate({ id, is_disabled: !is_disabled })}
              aria-label={`${is_disabled ? peopleWords.enable : peopleWords.disable} ${name}`}
            >
              {is_disabled ? peopleWords.enable : peopleWords.disable}
            </Button>
          </Group>
        ) : (
          is_disabled && peopleWords.disabled
        )}
      </Table.Td>
    </Table.Tr>
  );
}

/** All people with their roles. */
export function PeoplePanel({ isFirst, mayManage }: { readonly isFirst: boolean; readonly mayManage: boolean }) {
  const [isAdding, setAdding] = useState(false);
  const update = useUpdatePerson();
  const { data, error, isFetching, refetch } = usePeople();
  return (
    <Panel
      title={peopleWords.accounts}
      aside={
        mayManage && (
          <Button size="xs" onClick={() => setAdding(true)}>
            {isFirst ? peopleWords.createFirstAdministrator : peopleWords.addPerson}
          </Button>
        )
      }
    >
      {isAdding && <PersonForm isFirst={isFirst} onClose={() => setAdding(false)} />}
      {error && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {update.error && <ProblemAlert error={update.error} />}
      {!data && !error && <Skeleton height={80} role="status" aria-label={commonWords.loadingPeople} />}
      {data && data.length === 0 && (
        <Text size="sm" c="dimmed">
          {peopleWords.noPeopleYet}
        </Text>
      )}
      {data && data.length > 0 && (
        <Table.ScrollContainer minWidth={520}>
          <Table aria-label={commonWords.people}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{commonWords.name}</Table.Th>
                <Table.Th>{peopleWords.fullName}</Table.Th>
                <Table.Th>{peopleWords.role}</Table.Th>
                <Table.Th>{peopleWords.lastSignIn}</Table.Th>
                <Table.Th>
                  <VisuallyHidden>{commonWords.actions}</VisuallyHidden>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.map((person) => (
                <PersonRow key={person.person_id} person={person} mayManage={mayManage} update={update} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Panel>
  );
}
