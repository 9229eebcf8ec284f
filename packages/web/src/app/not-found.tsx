import { Button, EmptyState } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { SearchIcon } from '../ui/icons.tsx';
import { appWords } from '../words/app.ts';
import { commonWords } from '../words/common.ts';

/** Shown at an unknown address. */
export function NotFound() {
  return (
    <EmptyState
      py={64}
      icon={<SearchIcon size={36} />}
      title={<h1 className="empty-title">{appWords.noSuchPage}</h1>}
      description={appWords.noSuchPageHelp}
    >
      <EmptyState.Actions>
        <Button component={Link} to="/experiments" variant="default">
          {commonWords.allExperiments}
        </Button>
      </EmptyState.Actions>
    </EmptyState>
  );
}
