import { TagsInput, Textarea } from '@mantine/core';
import type { ComponentProps } from 'react';

/** Several lines of what the experiment is about. */
export function DescriptionField(props: Omit<ComponentProps<typeof Textarea>, 'label'>) {
  return <Textarea label="Description" autosize minRows={3} maxRows={10} {...props} />;
}

/** Tags with suggestions; a comma or Enter ends a tag. */
export function TagsField(props: Omit<ComponentProps<typeof TagsInput>, 'label'>) {
  return (
    <TagsInput
      label="Tags"
      description="Enter or a comma ends a tag"
      maxDropdownHeight={180}
      openOnFocus={false}
      comboboxProps={{ withinPortal: true }}
      {...props}
    />
  );
}
