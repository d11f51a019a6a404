// The section of the guide about two servers, whose lines need two machines: its blocks of shell lines, each with where to run it.

const title = '## Two servers\n';

const places = ['db1', 'db2', 'both'] as const;

export interface Block {
  readonly heading: string;
  /** Where to run the lines. */
  readonly place: (typeof places)[number];
  readonly script: string;
}

/** Empty on pages that have no such section. */
export function sectionIn(markdown: string): string {
  const start = markdown.indexOf(title);
  if (start < 0) return '';
  const end = markdown.indexOf('\n## ', start);
  return end < 0 ? markdown.slice(start) : markdown.slice(start, end + 1);
}

/** What other pages and sections have: lines that anybody can run. */
export function withoutSection(markdown: string): string {
  return markdown.replace(sectionIn(markdown), () => '');
}

export function blocksIn(section: string): readonly Block[] {
  return section
    .split(/^### /m)
    .slice(1)
    .flatMap((part) => {
      const heading = part.slice(0, part.indexOf('\n'));
      return [...part.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, script = '']) => {
        const named = /^# On (\w+)\n/.exec(script)?.[1];
        const place = places.find((each) => each === named);
        if (place === undefined) throw new Error(`The lines do not say where to run them: ${script}`);
        return { heading, place, script };
      });
    });
}

/** The lines with the machines in each other's place, as the guide asks for when they have changed places. */
export function exchanged(block: Block): Block {
  const { heading, place, script } = block;
  const other = { db1: 'db2', db2: 'db1', both: 'both' } as const;
  return {
    heading,
    place: other[place],
    script: script.replaceAll(/\bdb[12]\b/g, (name) => other[name as 'db1' | 'db2']),
  };
}
