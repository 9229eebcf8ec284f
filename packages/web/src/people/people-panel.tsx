import type { Person, Role } from '@lcs/contract';
import { Button, NativeSelect, Skeleton, Table, Text, VisuallyHidden } from '@mantine/core';
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

const roles: readonly { readonly value: Role; readonly label: string }[] = [
  { value: 'viewer', label: 'Viewer: sees everything' },
  { value: 'operator', label: 'Operator: also runs experiments' },
  { value: 'administrator', label: 'Administrator: may do everything' },
];

const isRole = (value: unknown): value is Role => roles.some((role) => role.value === value);

const fieldsOf = (isFirst: boolean): readonly FieldDescriptor[] => [
  { kind: 'text', name: 'name', label: 'Name', hint: 'For the sign-in', isRequired: true, isFirst: true },
  { kind: 'text', name: 'display_name', label: 'Full name' },
  ...(isFirst ? [] : [{ kind: 'choice', name: 'role', label: 'Role', options: roles, isNative: true } as const]),
  { kind: 'secret', name: 'password', label: 'Password', hint: 'At least 12 characters', isRequired: true },
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
  });
  return (
    <FormDialog
      {...{ state, onClose }}
      title={isFirst ? 'Create the first administrator' : 'Add a person'}
      fields={fieldsOf(isFirst)}
      action={isFirst ? 'Create administrator' : 'Add person'}
    >
      {isFirst && <Text size="sm">From then on every request needs a sign-in. You sign in next.</Text>}
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

interface RowProps {
  readonly person: Person;
  readonly mayManage: boolean;
  readonly update: ReturnType<typeof useUpdatePerson>;
}

function PersonRow({ person, mayManage, update }: RowProps) {
  const { person_id: id, name, display_name, role, is_disabled, last_seen_at } = person;
  return (
    <Table.Tr>
      <Table.Td>{name}</Table.Td>
      <Table.Td>{display_name}</Table.Td>
      <Table.Td>
        {mayManage ? (
          <NativeSelect
            size="xs"
            aria-label={`Role of ${name}`}
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
      <Table.Td>{last_seen_at === null ? 'never' : <Moment ms={Date.parse(last_seen_at)} />}</Table.Td>
      <Table.Td>
        {mayManage ? (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => update.mutate({ id, is_disabled: !is_disabled })}
            aria-label={`${is_disabled ? 'Enable' : 'Disable'} ${name}`}
          >
            {is_disabled ? 'Enable' : 'Disable'}
          </Button>
        ) : (
          is_disabled && 'disabled'
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
      title="Accounts"
      aside={
        mayManage && (
          <Button size="xs" onClick={() => setAdding(true)}>
            {isFirst ? 'Create the first administrator' : 'Add person'}
          </Button>
        )
      }
    >
      {isAdding && <PersonForm isFirst={isFirst} onClose={() => setAdding(false)} />}
      {error && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {update.error && <ProblemAlert error={update.error} />}
      {!data && !error && <Skeleton height={80} role="status" aria-label="Loading people" />}
      {data && data.length === 0 && (
        <Text size="sm" c="dimmed">
          No people yet.
        </Text>
      )}
      {data && data.length > 0 && (
        <Table.ScrollContainer minWidth={520}>
          <Table aria-label="People">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Name</Table.Th>
                <Table.Th>Full name</Table.Th>
                <Table.Th>Role</Table.Th>
                <Table.Th>Last sign-in</Table.Th>
                <Table.Th>
                  <VisuallyHidden>Actions</VisuallyHidden>
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
