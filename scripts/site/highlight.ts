// Finds the parts of code that readers tell apart at a glance: texts, numbers, words of the language, names and comments.
// It knows just enough of each language for the examples of the documentation. The browser uses it for answers too.

export interface Part {
  /** Undefined for what has no colour. */
  readonly kind: Kind | undefined;
  readonly text: string;
}

type Kind = 'name' | 'string' | 'number' | 'word' | 'comment';

/** Alternatives in the order in which they are tried; the name of the group that matches is the kind. */
const languages: Readonly<Record<string, RegExp>> = {
  json: /(?<name>"(?:[^"\\\n]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\\n]|\\.)*")|(?<number>-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)|(?<word>\b(?:true|false|null)\b)/g,
  js: /(?<comment>\/\/.*)|(?<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)|(?<name>\b[A-Za-z_$][\w$]*(?=:\s))|(?<number>\b\d[\d_]*(?:\.\d+)?\b)|(?<word>\b(?:import|from|export|const|let|await|async|for|of|in|if|else|new|return|throw|try|catch|break|type|instanceof|typeof|true|false|null|undefined)\b)/g,
  python:
    /(?<comment>#.*)|(?<string>f?"(?:[^"\\\n]|\\.)*"|f?'(?:[^'\\\n]|\\.)*')|(?<name>\b[a-z_]+(?==[^=]))|(?<number>\b\d+(?:\.\d+)?\b)|(?<word>\b(?:import|from|as|def|for|in|if|else|while|return|print|True|False|None)\b)/g,
  sh: /(?<comment>(?<=^|\s)#.*)|(?<string>'[^']*'|"(?:[^"\\]|\\.)*")|(?<name>\$\w+|(?<=\s)--?[A-Za-z][\w-]*)|(?<word>(?<=^|\n|\| |&& |\()(?:curl|npm|npx|export|cd|docker|systemctl|bin\/orrery|orrery|pg_dump|psql|useradd|node|sed|cat|echo)\b)/g,
  sql: /(?<comment>--.*)|(?<string>'[^']*')|(?<number>\b\d+\b)|(?<word>\b(?:create|table|index|on|primary|key|insert|into|values|select|from|where|delete|update|set|text|bigint|jsonb|integer)\b)/gi,
};

const alike: Readonly<Record<string, string>> = { ts: 'js', javascript: 'js', bash: 'sh' };

/** The parts of the code in order. An unknown language has one part. */
export function partsOf(code: string, language: string): readonly Part[] {
  const pattern = languages[alike[language] ?? language];
  if (pattern === undefined) return [{ kind: undefined, text: code }];
  const parts: Part[] = [];
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    if (match.index > end) parts.push({ kind: undefined, text: code.slice(end, match.index) });
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? [];
    parts.push({ kind: kind as Kind, text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < code.length) parts.push({ kind: undefined, text: code.slice(end) });
  return parts;
}
