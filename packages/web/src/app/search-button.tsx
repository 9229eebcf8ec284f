import { ActionIcon, Button, Kbd } from '@mantine/core';
import { SearchIcon } from '../ui/icons.tsx';

/** Opens the palette; with a word where there is room. */
export const SearchButton = ({ onOpen }: { readonly onOpen: () => void }) => (
  <>
    <Button
      size="xs"
      variant="default"
      leftSection={<SearchIcon size={14} />}
      rightSection={<Kbd size="sm">Ctrl K</Kbd>}
      onClick={onOpen}
      visibleFrom="md"
      aria-keyshortcuts="Control+K Meta+K"
    >
      Search
    </Button>
    <ActionIcon variant="default" size="lg" aria-label="Search" onClick={onOpen} hiddenFrom="md">
      <SearchIcon />
    </ActionIcon>
  </>
);
