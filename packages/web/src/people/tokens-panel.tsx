import { type CreatedToken, permissions as meanings, ownValue, type Token } from '@lcs/contract';
import {
  Button,
  Checkbox,
  Code,
  CopyButton,
  Group,
  Paper,
  SegmentedControl,
  SimpleGrid,
  Skeleton,
  Stack,
  Table,
  Text,
  VisuallyHidden,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { type FieldDescriptor, FormFields } from '../forms/form-field.tsx';
import { FormDialog, useRequestForm } from '../forms/request-form.tsx';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { Moment } from '../ui/moments.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { peopleWords } from '../words/people.ts';
import { chosenPermissions, type PermissionChoice, permissionChoices } from './permission-choice.ts';

const fields: readonly FieldDescriptor[] = [
  {
    kind: 'text',
    name: 'name',
    label: commonWords.name,
    hint: peopleWords.whatTokenIsFor,
    isRequired: true,
    isFirst: true,
  },
  {
    kind: 'number',
    name: 'days',
    label: peopleWords.daysUntilItEnds,
    min: 1,
    max: 366,
    isInteger: true,
  },
];

const limitFields: readonly FieldDescriptor[] = [
  {
    kind: 'tags',
    name: 'experiments',
    label: commonWords.onlyTheseExperiments,
    hint: peopleWords.namesEachFollowedByEnter,
    hasCommas: true,
  },
  { kind: 'tags', name: 'units', label: peopleWords.onlyTheseUnits, hint: peopleWords.namesEachFollowedByEnter },
];

/** What a permission allows, with its name in programs. */
const permissionText = (name: string): string => {
  const meaning = ownValue(meanings, name);
  return meaning === undefined ? name : `${meaning} (${name})`;
};

/** The permissions that a choice stands for; `choose`: those that are ticked. */
const choiceTexts: { readonly [Choice in PermissionChoice]: { readonly label: string; readonly text: string } } = {
  read: { label: peopleWords.readOnly, text: peopleWords.tokenMayRead },
  all: { label: peopleWords.everything, text: peopleWords.tokenMayDoAll },
  choose: { label: commonWords.choose, text: peopleWords.tokenMayDoTicked },
};

interface NewToken {
  readonly name: string;
  readonly days: number | string;
  readonly choice: PermissionChoice;
  readonly ticked: readonly string[];
  readonly experiments: readonly string[];
  readonly units: readonly string[];
}

interface PermissionsFieldProps {
  readonly permissions: readonly string[];
  readonly form: UseFormReturnType<NewToken>;
}

/** What a token may do; the long list only for those who want another choice. */
const PermissionsField = ({ permissions, form }: PermissionsFieldProps) => (
  <Stack gap={6}>
    <Text size="sm" fw={500}>
      {peopleWords.permissions}
    </Text>
    <SegmentedControl
      aria-label={peopleWords.permissions}
      data={permissionChoices.map((value) => ({ value, label: choiceTexts[value].label }))}
      {...form.getInputProps('choice')}
    />
    <Text size="sm" c="dimmed">
      {choiceTexts[form.values.choice].text}
    </Text>
    {form.values.choice === 'choose' && (
      <Checkbox.Group aria-label={peopleWords.permissions} {...form.getInputProps('ticked')}>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing={6}>
          {permissions.map((name) => (
            <Checkbox key={name} value={name} label={permissionText(name)} size="sm" />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
    )}
  </Stack>
);

interface FormProps {
  readonly permissions: readonly string[];
  readonly onCreated: (token: CreatedToken) => void;
  readonly onClose: () => void;
}

function TokenForm({ permissions, onCreated, onClose }: FormProps) {
  const { leader } = useServices();
  const chosenOf = ({ choice, ticked }: Pick<NewToken, 'choice' | 'ticked'>) =>
    chosenPermissions(choice, permissions, ticked);
  const create = useMutation({
    mutationFn: ({ name, days, experiments, units, ...chosen }: NewToken) => {
      const limits = {
        ...(experiments.length > 0 && { experiments: [...experiments] }),
        ...(units.length > 0 && { units: [...units] }),
      };
      return leader.createToken({
        body: { name: name.trim(), days: Number(days), permissions: [...chosenOf(chosen)], ...limits },
      });
    },
    onSuccess: onCreated,
  });
  const ticked = chosenPermissions('read', permissions, []);
  const state = useRequestForm<NewToken>(create, {
    initialValues: { name: '', days: 90, choice: 'read', ticked, experiments: [], units: [] },
  });
  const { form } = state;
  return (
    <FormDialog
      {...{ state, fields, onClose }}
      title={peopleWords.makeAToken}
      size="lg"
      action={peopleWords.makeToken}
      isReady={chosenOf(form.values).length > 0}
    >
      <PermissionsField permissions={permissions} form={form} />
      <FormFields fields={limitFields} form={form} />
    </FormDialog>
  );
}

/** A new token, shown once. */
const MadeToken = ({ token, onClose }: { readonly token: CreatedToken; readonly onClose: () => void }) => (
  <Paper withBorder p="sm" role="status">
    <Text size="sm" fw={600}>
      {peopleWords.tokenNamed(token.name)}
    </Text>
    <Text size="sm">{peopleWords.copyItNow}</Text>
    <Group gap="xs" mt="xs">
      <Code>{token.secret}</Code>
      <CopyButton value={token.secret}>
        {({ copied, copy }) => (
          <Button size="compact-sm" variant="default" onClick={copy}>
            {copied ? commonWords.copied : peopleWords.copy}
          </Button>
        )}
      </CopyButton>
      <Button size="compact-sm" variant="default" onClick={onClose}>
        {commonWords.hide}
      </Button>
    </Group>
  </Paper>
);

interface TokenTableProps {
  readonly tokens: readonly Token[];
  readonly onRevoke: (tokenId: string) => void;
}

const TokenTable = ({ tokens, onRevoke }: TokenTableProps) => (
  <Table.ScrollContainer minWidth={520}>
    <Table aria-label={peopleWords.tokens}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{commonWords.name}</Table.Th>
          <Table.Th>{peopleWords.madeBy}</Table.Th>
          <Table.Th>{peopleWords.permissions}</Table.Th>
          <Table.Th>{peopleWords.only}</Table.Th>
          <Table.Th>{peopleWords.ends}</Table.Th>
          <Table.Th>{peopleWords.lastUsed}</Table.Th>
          <Table.Th>
            <VisuallyHidden>{commonWords.actions}</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {tokens.map((token) => (
          <Table.Tr key={token.token_id}>
            <Table.Td>{token.name}</Table.Td>
            <Table.Td>{token.made_by}</Table.Td>
            <Table.Td title={token.permissions.map(permissionText).join('\n')}>{token.permissions.length}</Table.Td>
            <Table.Td>{[...(token.experiments ?? []), ...(token.units ?? [])].join(', ')}</Table.Td>
            <Table.Td>
              <Moment ms={Date.parse(token.expires_at)} />
            </Table.Td>
            <Table.Td>
              {token.last_used_at === null ? peopleWords.never : <Moment ms={Date.parse(token.last_used_at)} />}
            </Table.Td>
            <Table.Td>
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => onRevoke(token.token_id)}
                aria-label={peopleWords.revokeToken(token.name)}
              >
                {commonWords.revoke}
              </Button>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
);

/** Tokens of programs. */
export function TokensPanel({ permissions }: { readonly permissions: readonly string[] }) {
  const { leader } = useServices();
  const cache = useQueryClient();
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<CreatedToken | null>(null);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: queryKeys.tokens,
    queryFn: ({ signal }) => leader.listTokens({ signal }),
    staleTime: 0,
  });
  const refresh = () => cache.invalidateQueries({ queryKey: queryKeys.tokens });
  const revoke = useMutation({
    mutationFn: (id: string) => leader.revokeToken({ params: { token_id: id } }),
    onSettled: refresh,
  });
  const onCreated = (token: CreatedToken): void => {
    setMade(token);
    setMaking(false);
    void refresh();
  };
  return (
    <Panel
      title={peopleWords.tokensForPrograms}
      aside={
        <Button size="xs" onClick={() => setMaking(true)}>
          {peopleWords.makeAToken}
        </Button>
      }
    >
      {isMaking && <TokenForm permissions={permissions} onCreated={onCreated} onClose={() => setMaking(false)} />}
      {made && <MadeToken token={made} onClose={() => setMade(null)} />}
      {error && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {revoke.error && <ProblemAlert error={revoke.error} />}
      {!data && !error && <Skeleton height={60} role="status" aria-label={peopleWords.loadingTokens} />}
      {data && data.length === 0 && (
        <Text size="sm" c="dimmed">
          {peopleWords.noTokensYet}
        </Text>
      )}
      {data && data.length > 0 && <TokenTable tokens={data} onRevoke={(id) => revoke.mutate(id)} />}
    </Panel>
  );
}
