import { leaderApi } from '@lcs/contract';
import { Stack, Text, Title } from '@mantine/core';
import { useSession } from '../services/queries.ts';
import { useMay } from '../services/use-may.ts';
import { commonWords } from '../words/common.ts';
import { peopleWords } from '../words/people.ts';
import { PasskeysPanel } from './passkeys-panel.tsx';
import { PeoplePanel } from './people-panel.tsx';
import { PinPanel } from './pin-panel.tsx';
import { SessionsPanel } from './sessions-panel.tsx';
import { TabletPanel } from './tablet-panel.tsx';
import { TokensPanel } from './tokens-panel.tsx';

/** People and what they sign in with. */
export function PeoplePage() {
  const session = useSession();
  const may = useMay();
  if (session === undefined) return null;
  const mayManage = !may(leaderApi.updatePerson).disabled;
  return (
    <Stack>
      <title>{commonWords.pageTitle(commonWords.people)}</title>
      <Title order={1} size="h2">
        {commonWords.people}
      </Title>
      {session.kind === 'local' && <Text size="sm">{peopleWords.noPersonExistsYet}</Text>}
      <PeoplePanel isFirst={session.kind === 'local'} mayManage={mayManage} />
      {session.kind === 'person' && (
        <>
          <TokensPanel permissions={session.permissions} />
          <PasskeysPanel />
          <PinPanel name={session.name} />
          {mayManage && <TabletPanel />}
          <SessionsPanel />
        </>
      )}
    </Stack>
  );
}
