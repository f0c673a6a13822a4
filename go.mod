module dvmtools

go 1.26
