import { Alert, Button, Group, Text } from '@mantine/core';
import { useEffect, useSyncExternalStore } from 'react';
import { checkVersion, type VersionCheck } from '../live/version-change.ts';
import { useLeaderIdentity } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';

const storageKey = 'lcs.reloaded-for';
/** Long enough to read why the page is about to reload. */
const noticeMs = 3000;

function reload(version: string): void {
  sessionStorage.setItem(storageKey, version);
  location.reload();
}

const sentences: { readonly [Verdict in Exclude<VersionCheck, 'same'>]: string } = {
  reload: 'The leader was updated. This page reloads to match it.',
  wait: 'The leader was updated. This page reloads as soon as your changes are saved or dropped.',
  mismatch: 'This page belongs to another version than the leader. Some things may not work.',
};

/** Reloads the page when the leader was updated, never over something that is not saved. */
export function VersionNotice() {
  const { unsavedWork, clock } = useServices();
  const leader = useLeaderIdentity();
  const hasUnsavedWork = useSyncExternalStore(unsavedWork.subscribe, unsavedWork.exists);
  const version = leader?.version ?? __PAGE_VERSION__;
  const verdict = checkVersion({
    page: __PAGE_VERSION__,
    leader: version,
    hasUnsavedWork,
    reloadedFor: sessionStorage.getItem(storageKey),
  });

  useEffect(
    () => (verdict === 'reload' ? clock.after(noticeMs, () => reload(version)) : undefined),
    [verdict, version, clock],
  );

  if (verdict === 'same') return null;
  return (
    <Alert color="blue" variant="light" mb="md" role="status">
      <Group justify="space-between" gap="xs">
        <Text size="sm">{sentences[verdict]}</Text>
        <Button size="xs" variant="default" onClick={() => reload(version)}>
          Reload now
        </Button>
      </Group>
    </Alert>
  );
}
