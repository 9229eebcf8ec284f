import { ActionIcon, Button, Kbd } from '@mantine/core';
import { SearchIcon } from '../ui/icons.tsx';
import { appWords } from '../words/app.ts';
import { commonWords } from '../words/common.ts';

/** Opens the palette; with a word where there is room. */
export const SearchButton = ({ onOpen }: { readonly onOpen: () => void }) => (
  <>
    <Button
      size="xs"
      variant="default"
      leftSection={<SearchIcon size={14} />}
      rightSection={<Kbd size="sm">{appWords.ctrlK}</Kbd>}
      onClick={onOpen}
      visibleFrom="md"
      aria-keyshortcuts="Control+K Meta+K"
    >
      {commonWords.search}
    </Button>
    <ActionIcon variant="default" size="lg" aria-label={commonWords.search} onClick={onOpen} hiddenFrom="md">
      <SearchIcon />
    </ActionIcon>
  </>
);
