import { Alert, Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { WarningIcon } from '../ui/icons.tsx';
import type { useDraft } from './use-draft.ts';

interface VersionNoticesProps {
  readonly draft: Pick<ReturnType<typeof useDraft>, 'isOutdated' | 'setAside' | 'showSaved' | 'takeBack'>;
  /** Where a version that is overwritten is kept. */
  readonly history: string;
  readonly onOverwrite: () => void;
  /** Between the explanation and the choices. */
  readonly children?: ReactNode;
}

/** Another person has saved the file meanwhile: both versions are kept until one is chosen. */
export function VersionNotices({ draft, history, onOverwrite, children }: VersionNoticesProps) {
  if (draft.isOutdated)
    return (
      <Alert color="blue" variant="light" icon={<WarningIcon />} title="Another person has saved this file">
        <Text size="sm">
          Your changes are based on an older version and are not saved. A version that is overwritten stays in {history}
          .
        </Text>
        {children}
        <Group gap="xs" mt="xs">
          <Button size="xs" variant="default" onClick={draft.showSaved}>
            Load the saved version
          </Button>
          <Button size="xs" variant="default" onClick={onOverwrite}>
            Overwrite with mine
          </Button>
        </Group>
      </Alert>
    );
  if (draft.setAside === undefined) return null;
  return (
    <Alert color="blue" variant="light" icon={<WarningIcon />} title="Your changes are kept aside">
      <Text size="sm">You see the saved version. Your changes are lost when you leave this page.</Text>
      <Button mt="xs" size="xs" variant="default" onClick={draft.takeBack}>
        Load my changes again
      </Button>
    </Alert>
  );
}
