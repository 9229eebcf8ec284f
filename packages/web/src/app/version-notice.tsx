import { Alert, Button, Group, Text } from '@mantine/core';
import { useEffect, useSyncExternalStore } from 'react';
import { checkVersion, type VersionCheck } from '../live/version-change.ts';
import { useLeaderIdentity } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { appWords } from '../words/app.ts';

const storageKey = 'lcs.reloaded-for';
/** Long enough to read why the web UI reloads. */
const noticeMs = 3000;

function reload(version: string): void {
  sessionStorage.setItem(storageKey, version);
  location.reload();
}

const noticeTexts: { readonly [Check in Exclude<VersionCheck, 'same'>]: string } = appWords.noticeTexts;

/** Reloads the web UI when the leader was updated, but not while there is unsaved input. */
export function VersionNotice() {
  const { unsavedWork, clock } = useServices();
  const leader = useLeaderIdentity();
  const hasUnsavedWork = useSyncExternalStore(unsavedWork.subscribe, unsavedWork.exists);
  const version = leader?.version ?? __PAGE_VERSION__;
  const check = checkVersion({
    page: __PAGE_VERSION__,
    leader: version,
    hasUnsavedWork,
    reloadedFor: sessionStorage.getItem(storageKey),
  });

  useEffect(
    () => (check === 'reload' ? clock.after(noticeMs, () => reload(version)) : undefined),
    [check, version, clock],
  );

  if (check === 'same') return null;
  return (
    <Alert color="blue" variant="light" mb="md" role="status">
      <Group justify="space-between" gap="xs">
        <Text size="sm">{noticeTexts[check]}</Text>
        <Button size="xs" variant="default" onClick={() => reload(version)}>
          {appWords.reloadNow}
        </Button>
      </Group>
    </Alert>
  );
}
