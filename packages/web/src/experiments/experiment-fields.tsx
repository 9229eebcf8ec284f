import { TagsInput, Textarea } from '@mantine/core';
import { type ComponentProps, useState } from 'react';

/** Several lines of what the experiment is about. */
export function DescriptionField(props: Omit<ComponentProps<typeof Textarea>, 'label'>) {
  return <Textarea label="Description" autosize minRows={3} maxRows={10} {...props} />;
}

/** Tags; suggestions come while one is typed, so that they do not lie over what is below. */
export function TagsField(props: Omit<ComponentProps<typeof TagsInput>, 'label'>) {
  const [text, setText] = useState('');
  const [isListClosed, setListClosed] = useState(false);
  return (
    <TagsInput
      label="Tags"
      description="Enter or a comma ends a tag"
      searchValue={text}
      onSearchChange={(next) => {
        setText(next);
        setListClosed(false);
      }}
      dropdownOpened={text.trim() !== '' && !isListClosed}
      onDropdownClose={() => setListClosed(true)}
      withScrollArea={false}
      comboboxProps={{ withinPortal: false }}
      {...props}
    />
  );
}
