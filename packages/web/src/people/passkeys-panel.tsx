import type { Passkey } from '@lcs/contract';
import { Button, Skeleton, Table, Text, VisuallyHidden } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import type { FieldDescriptor } from '../forms/form-field.tsx';
import { FormDialog, useRequestForm } from '../forms/request-form.tsx';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { Moment } from '../ui/moments.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { peopleWords } from '../words/people.ts';
import { canUsePasskeys, createPasskey } from './passkey-browser.ts';

const nameField: FieldDescriptor = {
  kind: 'text',
  name: 'name',
  label: commonWords.name,
  hint: peopleWords.passkeyNameHelp,
  isRequired: true,
  isFirst: true,
  maxLength: 100,
};
const passwordField: FieldDescriptor = {
  kind: 'secret',
  name: 'password',
  label: peopleWords.yourPassword,
  isRequired: true,
};

interface FormProps {
  /** Undefined: a new one. */
  readonly passkey: Passkey | undefined;
  readonly onClose: () => void;
}

/** Adds a passkey, or renames one. */
function PasskeyForm({ passkey, onClose }: FormProps) {
  const { leader } = useServices();
  const cache = useQueryClient();
  const save = useMutation({
    mutationFn: async ({ name: entered, password }: { readonly name: string; readonly password: string }) => {
      const name = entered.trim();
      if (passkey !== undefined)
        return leader.renamePasskey({ params: { passkey_id: passkey.passkey_id }, body: { name } });
      const options = await leader.startPasskeyRegistration({ body: { password } });
      return leader.registerPasskey({ body: { name, credential: await createPasskey(options) } });
    },
    onSuccess: async () => {
      onClose();
      await cache.invalidateQueries({ queryKey: queryKeys.passkeys });
    },
  });
  const state = useRequestForm(save, { initialValues: { name: passkey?.name ?? '', password: '' } });
  return (
    <FormDialog
      {...{ state, onClose }}
      title={passkey === undefined ? peopleWords.addPasskey : peopleWords.renamePasskey}
      fields={passkey === undefined ? [nameField, passwordField] : [nameField]}
      action={passkey === undefined ? commonWords.continue : peopleWords.rename}
    />
  );
}

interface PasskeyTableProps {
  readonly passkeys: readonly Passkey[];
  readonly onRename: (passkey: Passkey) => void;
  readonly onDelete: (passkey: Passkey) => void;
}

const PasskeyTable = ({ passkeys, onRename, onDelete }: PasskeyTableProps) => (
  <Table.ScrollContainer minWidth={520}>
    <Table aria-label={peopleWords.passkeys}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{commonWords.name}</Table.Th>
          <Table.Th>{commonWords.person}</Table.Th>
          <Table.Th>{peopleWords.worksAt}</Table.Th>
          <Table.Th>{peopleWords.lastUsed}</Table.Th>
          <Table.Th>
            <VisuallyHidden>{commonWords.actions}</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {passkeys.map((passkey) => (
          <Table.Tr key={passkey.passkey_id}>
            <Table.Td>{passkey.name}</Table.Td>
            <Table.Td>{passkey.person}</Table.Td>
            <Table.Td>{passkey.host}</Table.Td>
            <Table.Td>
              {passkey.last_used_at === null ? peopleWords.never : <Moment ms={Date.parse(passkey.last_used_at)} />}
            </Table.Td>
            <Table.Td>
              <Button
                size="compact-sm"
                variant="default"
                mr={6}
                onClick={() => onRename(passkey)}
                aria-label={peopleWords.renamePasskeyNamed(passkey.name)}
              >
                {peopleWords.rename}
              </Button>
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => onDelete(passkey)}
                aria-label={peopleWords.deletePasskey(passkey.name)}
              >
                {commonWords.delete}
              </Button>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
);

/** Passkeys: the sign-in without a password. */
export function PasskeysPanel() {
  const { leader } = useServices();
  const cache = useQueryClient();
  /** The passkey that a form is open for. */
  const [edited, setEdited] = useState<Passkey | 'new' | null>(null);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: queryKeys.passkeys,
    queryFn: ({ signal }) => leader.listPasskeys({ signal }),
    staleTime: 0,
  });
  const remove = useMutation({
    mutationFn: ({ passkey_id }: Passkey) => leader.deletePasskey({ params: { passkey_id } }),
    onSettled: () => cache.invalidateQueries({ queryKey: queryKeys.passkeys }),
  });
  const isPossible = canUsePasskeys();
  return (
    <Panel
      title={peopleWords.passkeys}
      aside={
        <Button size="xs" disabled={!isPossible} onClick={() => setEdited('new')}>
          {peopleWords.addPasskey}
        </Button>
      }
    >
      {edited !== null && (
        <PasskeyForm passkey={edited === 'new' ? undefined : edited} onClose={() => setEdited(null)} />
      )}
      {!isPossible && (
        <Text size="sm" c="dimmed">
          {peopleWords.passkeyNeedsHttps} {location.host}.
        </Text>
      )}
      {error && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {remove.error && <ProblemAlert error={remove.error} />}
      {!data && !error && <Skeleton height={60} role="status" aria-label={peopleWords.loadingPasskeys} />}
      {data && data.length === 0 && (
        <Text size="sm" c="dimmed">
          {peopleWords.noPasskeysYet}
        </Text>
      )}
      {data && data.length > 0 && (
        <PasskeyTable passkeys={data} onRename={setEdited} onDelete={(passkey) => remove.mutate(passkey)} />
      )}
    </Panel>
  );
}
