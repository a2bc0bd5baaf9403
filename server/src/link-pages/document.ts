import type { LinkAssets } from './assets.ts'

/** The document of the page, the same for every link: what it shows is fetched. Addresses are relative to `/link/`. */
export function documentOf({ page, version }: LinkAssets): string {
  const at = `assets/${version}`
  const scripts = [...page.keys()].filter((name) => name.endsWith('.js') && name !== 'page.js')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Connect a system</title>
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${at}/style.css">
${scripts.map((name) => `<link rel="modulepreload" href="${at}/${name}">`).join('\n')}
<script type="module" src="${at}/page.js"></script>
</head>
<body>
<div class="page">
<header><div id="back"></div><div id="brand"></div><div id="close"></div></header>
<main aria-busy="true">
<noscript><p class="waiting">This page needs JavaScript.</p></noscript>
</main>
</div>
<p id="announcements" class="visually-hidden" role="status"></p>
</body>
</html>
`
}
