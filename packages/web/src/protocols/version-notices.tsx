import { Alert, Button, Group, Text } from '@mantine/core';
import { WarningIcon } from '../ui/icons.tsx';
import type { useDraft } from './use-draft.ts';

interface VersionNoticesProps {
  readonly draft: ReturnType<typeof useDraft>;
  readonly onOverwrite: () => void;
}

/** Another person has saved the file meanwhile: both versions are kept until one is chosen. */
export function VersionNotices({ draft, onOverwrite }: VersionNoticesProps) {
  if (draft.isOutdated)
    return (
      <Alert color="blue" variant="light" icon={<WarningIcon />} title="Another person has saved this file">
        <Text size="sm">
          Your changes are based on an older version and are not saved. A version that is overwritten stays in the
          history of the folder.
        </Text>
        <Group gap="xs" mt="xs">
          <Button size="xs" variant="default" onClick={draft.showSaved}>
            Show the saved version
          </Button>
          <Button size="xs" variant="default" onClick={onOverwrite}>
            Overwrite with my version
          </Button>
        </Group>
      </Alert>
    );
  if (draft.setAside === undefined) return null;
  return (
    <Alert color="blue" variant="light" icon={<WarningIcon />} title="Your changes are kept aside">
      <Text size="sm">You see the saved version. Your changes are lost when you leave this page.</Text>
      <Button mt="xs" size="xs" variant="default" onClick={draft.takeBack}>
        Show my changes again
      </Button>
    </Alert>
  );
}
