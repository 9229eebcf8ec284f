import { Button, EmptyState } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { SearchIcon } from '../ui/icons.tsx';

/** Shown at an unknown address. */
export function NotFound() {
  return (
    <EmptyState
      py={64}
      icon={<SearchIcon size={36} />}
      title={<h1 className="empty-title">There is no page at this address</h1>}
      description="Check the address, or open the list of experiments."
    >
      <EmptyState.Actions>
        <Button component={Link} to="/experiments" variant="default">
          All experiments
        </Button>
      </EmptyState.Actions>
    </EmptyState>
  );
}
