__managed__ int flag = 3;
