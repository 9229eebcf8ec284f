import { type RefObject, useEffect, useState } from 'react';

/** A chart about to be scrolled into sight is made ready. */
const margin = '200px';

/** Whether an element is (nearly) in sight, and the page itself too. */
export function useInView(element: RefObject<HTMLElement | null>): boolean {
  const [isNear, setNear] = useState(false);
  const [isPageSeen, setPageSeen] = useState(() => !document.hidden);
  useEffect(() => {
    const watched = element.current;
    if (watched === null) return undefined;
    const observer = new IntersectionObserver((entries) => setNear(entries.at(-1)?.isIntersecting ?? false), {
      rootMargin: margin,
    });
    observer.observe(watched);
    return () => observer.disconnect();
  }, [element]);
  useEffect(() => {
    const look = (): void => setPageSeen(!document.hidden);
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return isNear && isPageSeen;
}
